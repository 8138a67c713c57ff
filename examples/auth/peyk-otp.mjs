import { createClient } from "@peyk/client"

/** The hooks of sign-in libraries. Peyk makes the code, so a code of the library is ignored. */
export const peykOtp = (options) => {
  const peyk = createClient(options)
  return {
    sendOTP: async ({ phoneNumber }) => {
      await peyk.otp.send({ phone: phoneNumber })
    },
    /** Checks the latest code of the phone, in whichever process it was sent. */
    verifyOTP: async ({ phoneNumber, code }) => {
      const { data } = await peyk.otp.list({ phone: phoneNumber, limit: 1 })
      const verification_id = data[0]?.verification_id
      if (verification_id === undefined) return false
      const { verified } = await peyk.otp.verify({ verification_id, code })
      return verified
    }
  }
}
