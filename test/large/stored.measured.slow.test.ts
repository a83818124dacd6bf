import { runs } from '../fixtures/runs.ts'
import { TIER } from '../tiers.ts'
import { describeStored } from './stored-cases.ts'
import { watched } from './watched.ts'

describeStored(
  {
    members: runs({ quick: 50_000, soak: 600_000 }),
    things: runs({ quick: 2000, soak: 20_000 }),
    // The slow tier tests one of each kind: member names, member values, and a single string.
    tries: (index) => TIER === 'soak' || index % 2 === 0,
  },
  watched,
)
