import { textRecord } from '../../../core/contract/record-kind.ts'

/** The JSON text of a secret, stored at `r/<mount>/secret/<path>`. */
export const SECRET = /* @__PURE__ */ textRecord({ folder: 'secret' })
