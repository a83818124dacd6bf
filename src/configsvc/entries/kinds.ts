import type { EntryKind } from './kind.ts'
import { apiGateway } from './kinds/api-gateway.ts'
import { boundApiGateway } from './kinds/bound-api-gateway.ts'
import { exportedServices } from './kinds/exported-services.ts'
import { fileSystemCertificate } from './kinds/file-system-certificate.ts'
import { httpRoute } from './kinds/http-route.ts'
import { ingressGateway } from './kinds/ingress-gateway.ts'
import { inlineCertificate } from './kinds/inline-certificate.ts'
import { jwtProvider } from './kinds/jwt-provider.ts'
import { mesh } from './kinds/mesh.ts'
import { proxyDefaults } from './kinds/proxy-defaults.ts'
import { serviceDefaults } from './kinds/service-defaults.ts'
import { serviceIntentions } from './kinds/service-intentions.ts'
import { serviceResolver } from './kinds/service-resolver.ts'
import { serviceRouter } from './kinds/service-router.ts'
import { serviceSplitter } from './kinds/service-splitter.ts'
import { tcpRoute } from './kinds/tcp-route.ts'
import { terminatingGateway } from './kinds/terminating-gateway.ts'

const allKinds: readonly EntryKind[] = [
  apiGateway,
  boundApiGateway,
  exportedServices,
  fileSystemCertificate,
  httpRoute,
  ingressGateway,
  inlineCertificate,
  jwtProvider,
  mesh,
  proxyDefaults,
  serviceDefaults,
  serviceIntentions,
  serviceResolver,
  serviceRouter,
  serviceSplitter,
  tcpRoute,
  terminatingGateway,
]

/** Keyed by name. */
export const ENTRY_KINDS: ReadonlyMap<string, EntryKind> = /* @__PURE__ */ new Map(allKinds.map((kind) => [kind.name, kind]))
