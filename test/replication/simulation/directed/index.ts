/** The directed schedules, by name. */
import type { Schedule } from '../simulate.ts'
import { appliedGuards, KERNELS as GUARDS } from './applied-guards.ts'
import { behindDemotion, KERNELS as DEMOTION } from './commit-after-demotion.ts'
import { KERNELS as COMPARED, comparedAhead } from './compared-ahead.ts'
import { forced, THREE_CLUSTERS, TWO_KERNELS, unforced } from './inexact.ts'
import { KERNELS as LIARS, lies } from './lies.ts'
import { overtakenBuilder, overtakenCopier, overtakenFolder, PRIMARY_KERNELS, SECONDARY_KERNELS } from './stale-claims.ts'

export const DIRECTED = {
  behindDemotion: { script: behindDemotion, kernels: DEMOTION },
  appliedGuards: { script: appliedGuards, kernels: GUARDS },
  overtakenBuilder: { script: overtakenBuilder, kernels: PRIMARY_KERNELS },
  overtakenFolder: { script: overtakenFolder, kernels: PRIMARY_KERNELS },
  overtakenCopier: { script: overtakenCopier, kernels: SECONDARY_KERNELS },
  unforced: { script: unforced, kernels: TWO_KERNELS },
  forced: { script: forced, kernels: THREE_CLUSTERS },
  comparedAhead: { script: comparedAhead, kernels: COMPARED },
  lies: { script: lies, kernels: LIARS },
} as const satisfies Readonly<Record<string, Pick<Schedule, 'script' | 'kernels'>>>
