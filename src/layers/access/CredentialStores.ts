import { Layer } from "effect"
import { ManagedTokensSql } from "../resources/ManagedTokensSql.ts"
import { ManagedUsersSql } from "../resources/ManagedUsersSql.ts"
import { PasswordsArgon2 } from "../crypto/PasswordsArgon2.ts"
import { SigningKeysSql } from "./SigningKeysSql.ts"

/** Who may manage: tokens, users, and the keys of their sessions. */
export const CredentialStores = Layer.mergeAll(
  ManagedTokensSql,
  ManagedUsersSql,
  PasswordsArgon2,
  SigningKeysSql
)
