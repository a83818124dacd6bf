export type {} from '../../core/jwt/token-reviewer.ts'
export type {} from './port.ts'

import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import type { OrchestratorApi } from './generated/api.ts'
import { orchestrator as orchestratorOperations } from './index.ts'
import { ORCHESTRATOR_MANIFEST } from './manifest.ts'

export type {} from '../../core/jwt/refusals.ts'
export type {} from './refusals.ts'

/** The methods of the orchestrator auth method. */
export interface Orchestrator extends OrchestratorApi {
  /** Returns the methods for an orchestrator auth method at another mount path, such as `auth/cluster/`. */
  at(path: string): Orchestrator
}

/** The facades of a kernel with the orchestrator auth method. */
export interface OrchestratorFacades {
  /** The orchestrator auth method at `auth/orchestrator/`; `at(path)` for other mounts. */
  readonly orchestrator: Orchestrator
}

/** The auth method for Kubernetes service account tokens: `kernel.orchestrator`, at `auth/orchestrator/` in a new store. */
export const orchestrator = (): EngineValue<OrchestratorFacades> =>
  engineValue<OrchestratorFacades>({
    ...orchestratorOperations,
    ports: ORCHESTRATOR_MANIFEST.ports,
    fresh: ORCHESTRATOR_MANIFEST.fresh,
    facades: { orchestrator: { path: 'auth/orchestrator/', operations: orchestratorOperations.operations } },
  })
