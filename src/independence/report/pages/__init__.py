"""The documents of the viewer: what they hold, where each lies, and how they are made of a store."""
