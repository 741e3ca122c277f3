"""The ladder site: pages, JSON and the replay viewer."""
