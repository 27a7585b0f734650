-- Included by every script. Its last argument is the name of the question, which each reply gives back, as its last item or
-- word: an answer that reaches another command is not believed. An error reply cannot; no client takes a lock for its own by one.

local question = ARGV[#ARGV]
