import type { PasswordPolicy } from './policy.ts'

const CHARSETS = ['-', '0123456789', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz']

/** Vault's default password policy: 20 characters; letters of both cases, digits and `-`, each kind at least once. */
export const DEFAULT_PASSWORD_POLICY: PasswordPolicy = {
  length: 20,
  characters: /* @__PURE__ */ [...CHARSETS.join('')],
  rules: /* @__PURE__ */ CHARSETS.map((charset) => ({ characters: new Set(charset), least: 1 })),
}
