/** What waits for mounting by path, tokens and policies, by transcript. The mounts themselves are made below the surface until then. */

const MOUNTS = 'sys/mounts: mounts by path'
const TOKENS = 'auth/token/create: tokens'

/** Whole files. */
export const LATER_FILES: Readonly<Record<string, string>> = {
  'v2-mount-forms': MOUNTS,
  'v2-capabilities': TOKENS,
}

/** Single steps, by their number in the file. */
export const LATER_STEPS: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  'v2-upgrade': { 5: MOUNTS, 7: MOUNTS, 19: MOUNTS, 20: MOUNTS, 21: MOUNTS },
}
