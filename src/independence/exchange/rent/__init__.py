"""Run folders of the rent benchmark: read into a store, written from one, in the published names and types."""
