"""The messages of santiago.v1, generated from proto/ (make proto)."""
