/**
 * The TLS certificate of an ingress gateway, obtained by SDS: the cluster that serves certificates, and the name of the certificate.
 * Settings of a service take precedence over settings of its listener, and settings of a listener over settings of the gateway.
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
    throw invalid(`${path}.CertResource: is required, because the gateway names a cluster without a certificate`)
  if (CertResource === undefined && ClusterName !== undefined) throw invalid(`${path}.CertResource: is required with ClusterName`)
  if (CertResource !== undefined) checkCluster([gateway.ClusterName, ClusterName], path)
}

/** @param levels The settings in the order gateway, listener, service. @throws KernelError 400 */
export function checkServiceSds(levels: readonly (Sds | undefined)[], path: string): void {
  if (levels.at(-1)?.CertResource === undefined) return
  checkCluster(
    levels.map((level) => level?.ClusterName),
    path,
  )
}

function checkCluster(names: readonly (string | undefined)[], path: string): void {
  if (names.every((name) => name === undefined))
    throw invalid(`${path}.ClusterName: is required here, in the listener or in the gateway`)
}
