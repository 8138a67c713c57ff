/**
 * A new random text each time a shell runs it, for the `Idempotency-Key` of example commands: the same key would return
 * the first response again. Many machines have no `uuidgen`; `od` and `tr` belong to POSIX.
 */
export const FRESH_IN_SHELL = "$(od -An -tx8 -N8 /dev/urandom | tr -d ' ')"
