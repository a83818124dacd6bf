import type { Engine } from '../contract/engine.ts'
import { BodyBudget } from '../exchange/body-budget.ts'
import { AnyStateRoutes } from '../request/any-state-routes.ts'
import { ownHeaderNames } from '../request/own-headers.ts'
import { PathCode } from '../request/path-code.ts'
import { PathResolver } from '../request/path-resolver.ts'
import { PathView } from '../request/path-view.ts'
import { StateIndex } from '../request/state-index.ts'
import type { KernelInternals } from './assemble.ts'

/** Vault's ciphertext prefix. A kernel with this prefix also returns result fields under Vault's names. */
const VAULT_PREFIX = 'vault'

/** @param system The engine that serves `sys/`. Some of its operations answer even while the kernel is sealed or uninitialized. */
export function createPathView(internals: KernelInternals, system: Engine): PathView {
  const { host, gate, topology, admission, responseWrapping, audit, tracer, claims, options, core, call, help } = internals
  const { ciphertextPrefix, headerPrefix, entropy } = host.env
  const paths = new PathResolver(topology, help)
  return new PathView({
    gate,
    clock: host.clock,
    entropy,
    headerNames: ownHeaderNames(headerPrefix),
    vaultNames: ciphertextPrefix === VAULT_PREFIX,
    requireMarker: options.requireRequestHeader === true,
    topology,
    paths,
    code: new PathCode(system, paths),
    anyState: new AnyStateRoutes(gate, system, core, call, entropy, () =>
      topology.servesNamespaces ? topology.namespaces : undefined,
    ),
    index: new StateIndex(host, headerPrefix),
    admission,
    bodies: new BodyBudget(options.bodies?.parsedBytes),
    audit,
    wrapper: responseWrapping,
    tracer,
    kernelId: claims.owner,
  })
}
