/** What the service surface does not do yet, by transcript, with the part that brings it. */

const KV2 = 'key/value version 2'
const WRAPPING = 'response wrapping'
const HELP = 'help'
const SEAL = 'initialising and unsealing by hand'

/** Whole files that stand on a later part. */
export const LATER_FILES: Readonly<Record<string, string>> = {
  'core/client-start': KV2,
  'core/mounts': KV2,
  'core/patch-and-head': KV2,
  'core/acl-wrapping-ttl': WRAPPING,
  'core/help': HELP,
  'core/order-of-checks-sealed': SEAL,
}

/** Single steps, by their number in the file. */
export const LATER_STEPS: Readonly<Record<string, Readonly<Record<number, string>>>> = {}
