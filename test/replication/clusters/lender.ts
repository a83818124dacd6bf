/** An engine that issues leases and records revocations. */
import { type EngineValue, engineValue } from '../../../src/core/contract/engine.ts'
import { LEASED, leasedWire } from '../../../src/core/contract/lease-terms.ts'
import { operation } from '../../../src/core/contract/operation.ts'

/** Only the cluster that issued a lease knows it. */
export const lender = (revoked: string[]): EngineValue =>
  engineValue({
    type: 'lender',
    mounts: 'secret',
    operations: {
      lend: operation({
        kind: 'write',
        verb: 'GET',
        path: '/creds',
        summary: 'Lends.',
        fields: {},
        returns: LEASED,
        wire: leasedWire,
        run: (tx) => tx.lease({ renewable: false, data: { who: tx.call.path } }),
      }),
    },
    due: {},
    leases: {
      renew: () => undefined,
      revoke(tx) {
        const { path } = tx.call.mount
        tx.once('revoke', async () => void revoked.push(path))
      },
    },
    fresh: [{ path: 'lend/', description: 'lends' }],
  })
