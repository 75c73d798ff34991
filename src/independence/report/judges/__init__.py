"""Several judges on the same replies: their boards, how far they agree, whom they favour, what they cost."""
