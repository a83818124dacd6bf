/** What version 1 keeps. Room: engines/kv/v1. Imported by its operations, and by version 2, which reads what an upgrade has not reached. */
import { textRecord } from '../../../core/transaction/record-kind.ts'

/** The JSON text of a secret, at `r/<mount>/secret/<path>`. */
export const SECRET = /* @__PURE__ */ textRecord({ folder: 'secret' })
