"""What judges made of the same dialogues."""
