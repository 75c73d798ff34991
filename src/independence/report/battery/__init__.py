"""The analysis `reasons`: does a subject give up a choice for a reason, and only for one?"""
