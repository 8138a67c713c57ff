/**
 * Recipients whom a bot cannot write to any more, in the words of Telegram and of those that repeat its API. The same
 * refusal has several spellings, in sentences and in names (`USER_IS_BLOCKED`), under HTTP 400 and 403. A bot or an
 * account alone may be the sender's own: it counts only next to the person, or in the Bot API's own words.
 */
const LOST: ReadonlyArray<RegExp> = [
  // Blocked: “bot was blocked by the user”, USER_IS_BLOCKED, YOU_BLOCKED_USER, “user has blocked the bot”.
  /\bbot was blocked\b/,
  /\b(user|peer|you|chat|recipient)( (was|were|is|has|have|been|also))* blocked\b/,
  /\b(blocked|stopped|deactivated|deleted) by (the |this )?(user|recipient|peer)\b/,
  /\b(user|recipient) (has )?(stopped|blocked) (the |this |your )?bot\b/,
  /\b(chat|user) (was |is |has been )?stopped\b/,
  // The person's account is gone: “user is deactivated”, INPUT_USER_DEACTIVATED, USER_DEACTIVATED_BAN, “user is deleted”.
  /\b(user|chat|peer|recipient)( s account)?( (was|is|has|been))* (deactivated|deleted)\b/,
  /\b(deleted|deactivated) (user|chat)\b/,
  // There never was one: “chat not found”, PEER_ID_INVALID, “no such group or user”, “user does not exist”.
  /\b(chat|user|peer|recipient)( id)?( (was|is))? not found\b/,
  /\b(chat|user|peer|recipient)( id)?( does| has| was| is)? not exists?\b/,
  /\bno such (group or user|user|chat|peer)\b/,
  /\b(peer|chat|user) id (is )?invalid\b/,
  /\binvalid (peer|chat|user) id\b/
]

/** One spelling for sentences and for names. */
const plain = (words: string): string =>
  words
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim()

/** Whether a refusal's words say that the recipient cannot be reached by this chat any more. */
export const isRecipientLost = (words: string): boolean => {
  const text = plain(words)
  return LOST.some((pattern) => pattern.test(text))
}
