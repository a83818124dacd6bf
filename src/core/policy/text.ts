import { invalid, type KernelError } from '../base/errors.ts'
import type { TextKind } from '../hcl/index.ts'

/** The maximum size of a policy in bytes of UTF-8. */
export const MAX_POLICY_BYTES = 262_144

/** Creates an error about the text of a policy. */
export const refusePolicy = (rule: string): KernelError => invalid(`failed to parse policy: ${rule}`)

/**
 * The size limit and the errors of policy texts. They are also used for password policies, so that the same malformed text causes the same
 * error.
 */
export const POLICY_TEXT: TextKind = { name: 'policy', longest: MAX_POLICY_BYTES, refuse: refusePolicy }
