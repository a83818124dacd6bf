/** A process dies at any commit that changes leases. */
import { describe, it } from 'vitest'
import { crashAtEach } from './lease-crashes.ts'

describe('a crash at any commit of issuing, renewing, revoking, expiring and disabling', () => {
  it.each(['before', 'after'] as const)('%s it takes effect loses no lease and leaves nothing behind', (when) =>
    crashAtEach(when, 1, 1),
  )
})
