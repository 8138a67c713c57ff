/** Made from openapi.json by `npm run generate`: the fields that each operation takes. */
export const knownFields = {
  "otp.send": ["phone", "channels", "channel_timeout", "template_id", "metadata", "locale", "client"],
  "otp.preview": ["phone", "channels", "channel_timeout", "template_id", "metadata", "locale", "client"],
  "otp.verify": ["verification_id", "code"],
  "otp.next": ["from_sequence", "channel"],
  "otp.list": ["limit", "cursor", "phone", "status", "created_after", "created_before", "metadata"],
  "sandbox.send": ["phone", "channels", "channel_timeout", "template_id", "metadata", "locale", "client"],
  "sandbox.verify": ["verification_id", "code"],
  "sandbox.next": ["from_sequence", "channel"],
  "sandbox.list": ["limit", "cursor", "phone", "status", "created_after", "created_before", "metadata"],
  "messages.send": ["to", "message", "template", "channels", "strategy", "metadata", "send_at", "delay"],
  "messages.batch": ["messages"],
  "messages.list": ["limit", "cursor", "to", "status", "created_after", "created_before", "metadata"],
  "sandbox-messages.send": [
    "to",
    "message",
    "template",
    "channels",
    "strategy",
    "metadata",
    "send_at",
    "delay"
  ],
  "sandbox-messages.batch": ["messages"],
  "sandbox-messages.list": ["limit", "cursor", "to", "status", "created_after", "created_before", "metadata"],
  "lookup.post": ["phone"]
} as const
