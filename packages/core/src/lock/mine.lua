-- Included by ask where the tenure is the owner already.

return { 'mine', tonumber(fields[tenure]), tonumber(fields.seq) or 0, remainingMs, waiting(), nowMs, inherited, token, question }
