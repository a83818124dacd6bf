/** What the encryption engine does not do yet, by transcript, with the part that brings it. */

/** Besides all `sym-*`. */
export const NAMED_FILES: readonly string[] = [
  'encrypt-roundtrip',
  'asym-keys',
  'asym-keys-refused',
  'asym-sign-ecdsa-curves',
  'asym-sign-refused',
]

/** Whole files that stand on a later part. */
export const LATER_FILES: Readonly<Record<string, string>> = {
  'sym-known': 'restore: the complete engine',
  'sym-legacy': 'restore: the complete engine',
  'sym-trim': 'trim: the complete engine',
  'sym-soft-delete': 'soft-delete: the complete engine',
  'sym-acl': 'policies: tokens and policies',
}

const RESTORE = 'restore: the complete engine'
const LATER_ROUTE = 'a route of the complete engine'

/** Single steps, by their number in the file. */
export const LATER_STEPS: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  'asym-sign-refused': { 1: RESTORE, 14: RESTORE, 16: RESTORE, 34: RESTORE },
  'sym-verbs': {
    8: LATER_ROUTE,
    10: LATER_ROUTE,
    15: LATER_ROUTE,
    16: LATER_ROUTE,
    17: LATER_ROUTE,
    18: LATER_ROUTE,
    19: LATER_ROUTE,
  },
}
