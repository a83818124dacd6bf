/** Token roles as they are stored. Room: sys. Imported by the token operations and whoever clears a namespace away. */
import { jsonRecord } from '../../core/transaction/record-kind.ts'

export interface TokenRole {
  readonly name: string
}

/** At `r/core/token-role/<namespace uuid>/<name>`. */
export const TOKEN_ROLE = /* @__PURE__ */ jsonRecord<TokenRole>({ folder: 'token-role' })
