import { formatGoDuration, parseGoDurationOrSeconds, toWholeSeconds } from '../../../core/base/go-duration.ts'
import type { LeaseTerms } from '../../../core/contract/lease-terms.ts'
import { operation } from '../../../core/contract/operation.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { coerceText, typedDuration } from '../../../core/field/coercion.ts'
import { type Builder, buildField } from '../../../core/field/field.ts'
import { f } from '../../../core/field/fields.ts'
import { CLOUD_LEASE, LEASE_NAME } from '../records.ts'

const normalizeDuration = (text: string, name: string): string => formatGoDuration(parseGoDurationOrSeconds(text, name))

const durationField = (description: string): Builder<string, number | string> =>
  buildField({
    fromTyped: (value, name) => normalizeDuration(String(typedDuration(value, name)), name),
    coerce: coerceText,
    decode: (value, name) => normalizeDuration(value as string, name),
    description,
    schema: { type: 'string' },
  })

/** @throws KernelError 400 if a duration is invalid, negative, or has the unit `d`. */
export const configureLease = operation({
  kind: 'write',
  verb: 'POST',
  path: '/config/lease',
  forwardable: true,
  summary: 'Sets the lifetime and the maximum lifetime of users that roles of the type `iam_user` create.',
  fields: {
    lease: durationField(
      'The lifetime of a lease: a duration such as `1h30m` with units up to `h`, or seconds. `0s` means the default of the mount.',
    ),
    lease_max: durationField('The maximum lifetime of a lease, including renewals. `0s` means the maximum of the mount.'),
  },
  returns: {},
  run: (tx, { lease, lease_max }) => {
    tx.put(CLOUD_LEASE, LEASE_NAME, { lease, lease_max })
    tx.event('lease.configured', { lease, lease_max })
    return undefined
  },
})

/** @throws KernelError 404 if the mount is not configured. */
export const readLease = operation({
  kind: 'read',
  verb: 'GET',
  path: '/config/lease',
  summary: 'Reads the lifetime and the maximum lifetime of users that roles of the type `iam_user` create.',
  fields: {},
  returns: {
    lease: f.text('The lifetime of a lease, such as `1h30m0s`.'),
    lease_max: f.text('The maximum lifetime of a lease, including renewals.'),
  },
  run: (tx) => tx.get(CLOUD_LEASE, LEASE_NAME),
})

/** Returns the currently configured lease terms of users, in seconds. 0 means the default or maximum of the mount. */
export function leaseTermsOf(tx: Tx): Required<LeaseTerms> {
  const found = tx.get(CLOUD_LEASE, LEASE_NAME)
  if (!found) return { ttl: 0, max_ttl: 0 }
  const { lease, lease_max } = found
  return {
    ttl: toWholeSeconds(parseGoDurationOrSeconds(lease, 'lease')),
    max_ttl: toWholeSeconds(parseGoDurationOrSeconds(lease_max, 'lease_max')),
  }
}
