/**
 * POST and GET config/lease (spec document 1, "Configure lease", "Read lease"): how long users live.
 */

import { formatGoDuration, parseGoDurationOrSeconds, secondsOf } from '../../../core/base/go-duration.ts'
import type { LeaseTerms } from '../../../core/contract/lease-terms.ts'
import { operation } from '../../../core/contract/operation.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { coerceText, typedDuration } from '../../../core/field/coercion.ts'
import { type Builder, buildField } from '../../../core/field/field.ts'
import { f } from '../../../core/field/fields.ts'
import { LEASE, LEASE_NAME } from '../records.ts'

const normalizeDuration = (text: string, name: string): string => formatGoDuration(parseGoDurationOrSeconds(text, name))

const durationField = (description: string): Builder<string, number | string> =>
  buildField({
    fromTyped: (value, name) => normalizeDuration(String(typedDuration(value, name)), name),
    coerce: coerceText,
    decode: (value, name) => normalizeDuration(value as string, name),
    description,
    schema: { type: 'string' },
  })

export const configureLease = operation({
  kind: 'write',
  verb: 'POST',
  path: '/config/lease',
  forwardable: true,
  summary: 'Sets how long users live that roles of the type `iam_user` make, and until when they can be renewed.',
  fields: {
    lease: durationField('How long: `1h30m`, `90s`, or seconds; `0s`: as the mount says. The largest unit is `h`.'),
    lease_max: durationField('Until when, counted from the beginning; `0s`: as the mount says.'),
  },
  returns: {},
  run: (tx, { lease, lease_max }) => {
    tx.put(LEASE, LEASE_NAME, { lease, lease_max })
    tx.event('lease.configured', { lease, lease_max })
    return undefined
  },
})

export const readLease = operation({
  kind: 'read',
  verb: 'GET',
  path: '/config/lease',
  summary: 'Shows how long users live.',
  fields: {},
  returns: {
    lease: f.text('How long: `1h30m0s`.'),
    lease_max: f.text('Until when, counted from the beginning.'),
  },
  run: (tx) => tx.get(LEASE, LEASE_NAME),
})

/** The terms of users' leases as they are configured now. Seconds; 0: as the mount says. */
export function leaseTermsOf(tx: Tx): Required<LeaseTerms> {
  const found = tx.get(LEASE, LEASE_NAME)
  if (!found) return { ttl: 0, max_ttl: 0 }
  const { lease, lease_max } = found
  return {
    ttl: secondsOf(parseGoDurationOrSeconds(lease, 'lease')),
    max_ttl: secondsOf(parseGoDurationOrSeconds(lease_max, 'lease_max')),
  }
}
