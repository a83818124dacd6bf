/** A process dies at any commit that changes leases. */
import { describe, it } from 'vitest'
import { crashAtEach } from './lease-crashes.ts'

describe('a crash at any commit of issuing, renewing, revoking and expiring leases and of removing their mount', () => {
  it.each(['before', 'after'] as const)('%s the commit takes effect loses no lease and leaves no orphan', (when) =>
    crashAtEach(when, 1, 1),
  )
})
