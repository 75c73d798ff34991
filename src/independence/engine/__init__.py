"""How we run: plan, run, resume. The only concurrency."""
