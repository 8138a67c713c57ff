import { createClient, isPeykError } from "@peyk/client"

/** The hooks of sign-in libraries. Peyk makes the code, so a code of the library is ignored. */
export const peykOtp = (options) => {
  const peyk = createClient(options)

  const check = async ({ phoneNumber, code }) => {
    const { data } = await peyk.otp.list({ phone: phoneNumber, limit: 1 })
    const [latest] = data
    if (latest === undefined) return null
    const { verified } = await peyk.otp.verify({ verification_id: latest.verification_id, code })
    return verified ? latest.phone : null
  }

  /**
   * Checks the latest code of the phone, in whichever process it was sent. Returns the phone as `+98…`, whatever form
   * was typed, or null.
   */
  const verifiedPhone = (request) =>
    check(request).catch((error) => {
      // What a visitor typed is no phone, or no code.
      if (isPeykError(error, "invalid_phone") || isPeykError(error, "validation_error")) return null
      throw error
    })

  return {
    sendOTP: async ({ phoneNumber }) => {
      await peyk.otp.send({ phone: phoneNumber })
    },
    verifiedPhone,
    verifyOTP: async (request) => (await verifiedPhone(request)) !== null
  }
}
