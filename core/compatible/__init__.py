"""Compatible spaces: may one model's embeddings stand in for another's without computing all of them again?"""
