/** What the encryption engine's transcripts need that is not here yet, by transcript, with the part that brings it. */

/** Whole files that stand on a later part. */
export const LATER_FILES: Readonly<Record<string, string>> = {
  'sym-acl': 'policies: tokens and policies',
}

const SECOND_MOUNT = 'a second mount: mounts at run time'

/** Single steps, by their number in the file. */
export const LATER_STEPS: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  'asym-wrapping-key': { 17: SECOND_MOUNT, 18: SECOND_MOUNT },
}
