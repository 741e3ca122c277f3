"""What calls of the API take and give: the public contract, apart from what the ladder returns."""
