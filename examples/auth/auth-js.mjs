// npm install @auth/core ./peyk-client-*.tgz (next-auth takes the same object)
import Credentials from "@auth/core/providers/credentials"
import { peykOtp } from "./peyk-otp.mjs"

export const { sendOTP, verifiedPhone } = peykOtp({
  baseUrl: process.env.PEYK_URL,
  apiKey: process.env.PEYK_API_KEY
})

/** Call `sendOTP({ phoneNumber })` in a route of your own; the form then posts the phone and the code here. */
export const authConfig = {
  providers: [
    Credentials({
      credentials: { phone: {}, code: {} },
      authorize: async (typed) => {
        const phone = await verifiedPhone({ phoneNumber: String(typed.phone), code: String(typed.code) })
        return phone === null ? null : { id: phone, name: phone }
      }
    })
  ]
}
