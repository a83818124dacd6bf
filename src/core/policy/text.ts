import { invalid, type KernelError } from '../base/errors.ts'
import type { TextKind } from '../hcl/index.ts'

/** The maximum size of a policy in bytes of UTF-8. */
export const MAX_POLICY_BYTES = 262_144

/** The beginning of every error message about the text of a policy. */
export const refusePolicy = (rule: string): KernelError => invalid(`failed to parse policy: ${rule}`)

/** Also used for password policies, so that malformed text causes the same error there. */
export const POLICY_TEXT: TextKind = { name: 'policy', longest: MAX_POLICY_BYTES, refuse: refusePolicy }
