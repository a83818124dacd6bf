/** A process dies at any commit that changes leases. */
import { describe, it } from 'vitest'
import { crashAtEach } from './lease-crashes.ts'

describe('a crash at any commit while leases are issued, renewed, revoked and expired, or their mount is removed', () => {
  it.each(['before', 'after'] as const)(
    'loses no lease, and leaves no issued secret without a lease, if it happens %s the commit takes effect',
    (when) => crashAtEach(when, 1, 1),
  )
})
