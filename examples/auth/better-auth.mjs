// npm install better-auth ./peyk-client-*.tgz
import { betterAuth } from "better-auth"
import { phoneNumber } from "better-auth/plugins"
import { peykOtp } from "./peyk-otp.mjs"

const { sendOTP, verifyOTP } = peykOtp({ baseUrl: process.env.PEYK_URL, apiKey: process.env.PEYK_API_KEY })

export const auth = betterAuth({
  // Add the database of your application here.
  plugins: [
    phoneNumber({
      sendOTP,
      verifyOTP,
      // One form, so that a phone is one person: let your page turn 0912… into +98912….
      phoneNumberValidator: (phone) => /^\+989\d{9}$/.test(phone),
      signUpOnVerification: { getTempEmail: (phone) => `${phone.replace("+", "")}@phone.invalid` }
    })
  ]
})
