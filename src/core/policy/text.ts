/**
 * A policy as a text.
 */
import { invalid, type KernelError } from '../base/errors.ts'
import type { TextKind } from '../hcl/index.ts'

/** The longest policy accepted, in bytes of UTF-8. */
export const MAX_POLICY_TEXT_CHARACTERS = 262_144

/** The common beginning of every refusal of a policy's text. */
export const refusePolicy = (rule: string): KernelError => invalid(`failed to parse policy: ${rule}`)

/** Also that of a password policy: what neither notation allows is refused in the same words. */
export const POLICY_TEXT: TextKind = { name: 'policy', longest: MAX_POLICY_TEXT_CHARACTERS, refuse: refusePolicy }
