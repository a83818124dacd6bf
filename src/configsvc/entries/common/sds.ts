/**
 * Where the proxy of an ingress-gateway gets its certificates from: a cluster that serves them, and the name of one. A listener goes before
 * its gateway, a service before its listener.
 */
import { invalid } from '../../../core/base/errors.ts'
import { type RecordOf, record, text } from '../members/index.ts'

const MEMBERS = { ClusterName: text(), CertResource: text() }

type Sds = RecordOf<typeof MEMBERS>

export const SDS = record(MEMBERS)

/** @throws KernelError 400 */
export function checkGatewaySds({ ClusterName, CertResource }: Sds = {}): void {
  if (CertResource !== undefined && ClusterName === undefined) throw invalid('TLS.SDS.ClusterName: is required with CertResource')
}

/** @throws KernelError 400 */
export function checkListenerSds(gateway: Sds = {}, { ClusterName, CertResource }: Sds = {}, path: string): void {
  if (CertResource === undefined && gateway.ClusterName !== undefined && gateway.CertResource === undefined)
    throw invalid(`${path}.CertResource: is required, since the gateway names a cluster and no certificate`)
  if (CertResource === undefined && ClusterName !== undefined) throw invalid(`${path}.CertResource: is required with ClusterName`)
  if (CertResource !== undefined) checkCluster([gateway.ClusterName, ClusterName], path)
}

/** @param levels The last one is that of the service. @throws KernelError 400 */
export function checkServiceSds(levels: readonly (Sds | undefined)[], path: string): void {
  if (levels.at(-1)?.CertResource === undefined) return
  checkCluster(
    levels.map((level) => level?.ClusterName),
    path,
  )
}

function checkCluster(names: readonly (string | undefined)[], path: string): void {
  if (names.every((name) => name === undefined)) throw invalid(`${path}.ClusterName: is required here or at a level above`)
}
