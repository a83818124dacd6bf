/** The doc comments of methods state refusals correctly: calls that are refused, with the status that the comment names. */
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDevKernel, type Kernel, KernelError, type Tokens } from '../../src/index.ts'
import { operationDocs } from '../../tools/typed-surface/operation-docs.mjs'
import { furnishedPorts } from '../fixtures/good-requests.ts'
import { SERVICE_CASES } from './service-refusals.ts'

const { refusals } = operationDocs(fileURLToPath(new URL('../..', import.meta.url)))

const bytes = (length: number): Uint8Array => new Uint8Array(length)
const input = bytes(1)

let kernel: Kernel
let service: string
let batch: string
let last: string
let primary: Kernel
let activation: string

const image = { type: 'secret', name: 'x', sha256: 'a'.repeat(64), oci_image: 'registry/x' }
const NOWHERE = { type: 'repohost', name: 'none' } as const
const nowhere = { primary_api_addr: 'nowhere' }

beforeAll(async () => {
  kernel = await createDevKernel({ ports: furnishedPorts() })
  const { transit, tokens, mounts } = kernel
  await transit.createKey({ name: 'aead' })
  await transit.createKey({ name: 'derived', derived: true })
  await transit.createKey({ name: 'ed', type: 'ed25519' })
  await transit.createKey({ name: 'soft' })
  await transit.softDeleteKey({ name: 'soft' })
  await mounts.createMount({ path: 'two', type: 'kv', options: { version: '2' } })
  await kernel.kv2.at('two/').writeSecret({ path: 'a', data: { b: 1 } })
  await kernel.kv2.at('two/').writeSecret({ path: 'gone', data: { b: 1 } })
  await kernel.kv2.at('two/').deleteLatest({ path: 'gone' })
  const login = { connection_url: 'fake://host', username: 'root', password: 'root-password' }
  await kernel.database.writeConnection({ name: 'c', plugin_name: 'fake', ...login })
  await kernel.database.writeConnection({
    name: 'deaf',
    plugin_name: 'fake',
    ...login,
    password: 'wrong',
    verify_connection: false,
  })
  const creation_statements = ['CREATE']
  await kernel.database.writeRole({ name: 'alone', db_name: 'none', creation_statements })
  await kernel.database.writeRole({ name: 'barred', db_name: 'c', creation_statements })
  await kernel.plugins.writeRuntime({ type: 'container', name: 'used' })
  await kernel.plugins.writePlugin({ ...image, name: 'user', runtime: 'used' })
  service = (await tokens.createToken({ policies: ['default'], ttl: '1h' })).client_token
  batch = (await tokens.createToken({ policies: ['default'], type: 'batch', ttl: '1h' })).client_token
  primary = await createDevKernel()
  await primary.replication.enablePrimary()
  await primary.replication.dr.enablePrimary()
  activation = (await primary.replication.createSecondaryToken({ id: 'a' })).wrap_info?.token as string
  last = (await tokens.createToken({ policies: ['root'], num_uses: 3 })).client_token
})
afterAll(() => Promise.all([kernel.close(), primary.close()]))

type Case = readonly [surface: string, method: string, status: number, call: () => Promise<unknown>]

const two = () => kernel.kv2.at('two/')
const database = () => kernel.database
const cloud = () => kernel.cloud
const NO_CENSUS = { begun: '', complete: false, versions: {}, unknown: 0 }
const CASES: readonly Case[] = [
  ['TransitApi', 'createKey', 400, () => kernel.transit.createKey({ name: 'a', auto_rotate_period: 60 })],
  ['TransitApi', 'createKey', 400, () => kernel.transit.createKey({ name: 'a', type: 'managed_key' })],
  ['TransitApi', 'readKey', 404, () => kernel.transit.readKey({ name: 'none' })],
  ['TransitApi', 'deleteKey', 400, () => kernel.transit.deleteKey({ name: 'aead' })],
  ['TransitApi', 'configureKey', 400, () => kernel.transit.configureKey({ name: 'aead', min_decryption_version: 2 })],
  ['TransitApi', 'rotateKey', 400, () => kernel.transit.rotateKey({ name: 'soft' })],
  ['TransitApi', 'trimKey', 400, () => kernel.transit.trimKey({ name: 'aead', min_available_version: 1 })],
  ['TransitApi', 'retireVersions', 400, () => kernel.transit.retireVersions({ name: 'aead', census: NO_CENSUS })],
  ['TransitApi', 'inspect', 400, () => kernel.transit.inspect({ name: 'aead', ciphertext: 'strongroom:v7:AAAA' })],
  ['TransitApi', 'inspectBatch', 400, () => kernel.transit.inspectBatch({ name: 'none', batch_input: [{ ciphertext: 'a' }] })],
  ['TransitApi', 'importKey', 400, () => kernel.transit.importKey({ name: 'b', type: 'hmac' })],
  ['TransitApi', 'importKeyVersion', 400, () => kernel.transit.importKeyVersion({ name: 'aead', ciphertext: input })],
  ['TransitApi', 'exportKey', 400, () => kernel.transit.exportKey({ name: 'aead', key_type: 'encryption-key' })],
  ['TransitApi', 'exportKey', 404, () => kernel.transit.exportKey({ name: 'none', key_type: 'encryption-key' })],
  ['TransitApi', 'exportWrappedKey', 404, () => kernel.transit.exportWrappedKey({ destination: 'none', source: 'aead' })],
  ['TransitApi', 'backupKey', 400, () => kernel.transit.backupKey({ name: 'aead' })],
  ['TransitApi', 'backupKey', 404, () => kernel.transit.backupKey({ name: 'none' })],
  ['TransitApi', 'restoreKey', 400, () => kernel.transit.restoreKey({ backup: 'no backup' })],
  ['TransitApi', 'signCsr', 400, () => kernel.transit.signCsr({ name: 'aead' })],
  ['TransitApi', 'setCertificate', 400, () => kernel.transit.setCertificate({ name: 'ed', certificate_chain: '' })],
  ['TransitApi', 'deriveKey', 400, () => kernel.transit.deriveKey({ name: 'c', base_key_name: 'ed', peer_public_key: '' })],
  ['TransitApi', 'configureCache', 400, () => kernel.transit.configureCache({ size: 5 })],
  ['TransitApi', 'encrypt', 400, () => kernel.transit.encrypt({ name: 'derived', plaintext: input })],
  ['TransitApi', 'encryptBatch', 400, () => kernel.transit.encryptBatch({ name: 'aead', batch_input: [] })],
  ['TransitApi', 'decrypt', 400, () => kernel.transit.decrypt({ name: 'aead', ciphertext: 'strongroom:v1:AAAA' })],
  ['TransitApi', 'decryptBatch', 400, () => kernel.transit.decryptBatch({ name: 'none', batch_input: [{ ciphertext: 'a' }] })],
  ['TransitApi', 'rewrap', 400, () => kernel.transit.rewrap({ name: 'aead', ciphertext: 'strongroom:v7:AAAA' })],
  ['TransitApi', 'rewrapBatch', 400, () => kernel.transit.rewrapBatch({ name: 'none', batch_input: [{ ciphertext: 'a' }] })],
  ['TransitApi', 'generateDataKey', 400, () => kernel.transit.generateDataKey({ name: 'aead', kind: 'wrapped', bits: 100 })],
  ['TransitApi', 'hmac', 400, () => kernel.transit.hmac({ name: 'aead', input, key_version: 9 })],
  ['TransitApi', 'hmacBatch', 400, () => kernel.transit.hmacBatch({ name: 'none', batch_input: [{ input } as never] })],
  ['TransitApi', 'hash', 400, () => kernel.transit.hash({ input, algorithm: 'sha1' as 'sha2-256' })],
  ['TransitApi', 'random', 400, () => kernel.transit.random({ bytes: 131_073 })],
  ['TransitApi', 'sign', 400, () => kernel.transit.sign({ name: 'aead', input })],
  ['TransitApi', 'signBatch', 400, () => kernel.transit.signBatch({ name: 'aead', batch_input: [{ input }] })],
  ['TransitApi', 'verify', 400, () => kernel.transit.verify({ name: 'ed', input } as never)],
  ['TransitApi', 'verifyBatch', 400, () => kernel.transit.verifyBatch({ name: 'ed', batch_input: [{ input } as never] })],
  ['KvApi', 'readSecret', 404, () => kernel.kv.readSecret({ path: 'none' })],
  ['KvApi', 'readSecret', 400, () => kernel.kv.readSecret({ path: 'a//b' })],
  ['KvApi', 'writeSecret', 400, () => kernel.kv.writeSecret({ path: 'a', data: {} })],
  ['Kv2Api', 'readSecret', 404, () => two().readSecret({ path: 'gone' })],
  ['Kv2Api', 'writeSecret', 400, () => two().writeSecret({ path: 'a', data: {}, options: { cas: 7 } })],
  ['Kv2Api', 'patchSecret', 404, () => two().patchSecret({ path: 'gone', data: { b: 2 } })],
  ['Kv2Api', 'deleteLatest', 400, () => two().deleteLatest({ path: 'a//b' })],
  ['Kv2Api', 'deleteVersions', 400, () => two().deleteVersions({ path: 'a', versions: [] })],
  ['Kv2Api', 'undeleteVersions', 400, () => two().undeleteVersions({ path: 'a', versions: [] })],
  ['Kv2Api', 'destroyVersions', 400, () => two().destroyVersions({ path: 'a', versions: [] })],
  ['Kv2Api', 'readMetadata', 404, () => two().readMetadata({ path: 'none' })],
  ['Kv2Api', 'writeMetadata', 400, () => two().writeMetadata({ path: 'a', metadata_cas: 7, max_versions: 3 })],
  ['Kv2Api', 'patchMetadata', 404, () => two().patchMetadata({ path: 'none', patch: { max_versions: 3 } })],
  ['Kv2Api', 'readSubkeys', 404, () => two().readSubkeys({ path: 'none' })],
  ['Kv2Api', 'configure', 400, () => two().configure({ max_versions: 2 ** 33 })],
  ['CubbyholeApi', 'readEntry', 404, () => kernel.as(service).cubbyhole.readEntry({ path: 'none' })],
  ['CubbyholeApi', 'writeEntry', 400, () => kernel.as(service).cubbyhole.writeEntry({ path: 'a', data: {} })],
  ['CubbyholeApi', 'deleteEntry', 400, () => kernel.as(batch).cubbyhole.deleteEntry({ path: 'a' })],
  ['CubbyholeApi', 'listEntries', 400, () => kernel.as(batch).cubbyhole.listEntries()],
  ['OrchestratorApi', 'configure', 400, () => kernel.orchestrator.configure({ orchestrator_host: '' })],
  ['OrchestratorApi', 'readConfig', 404, () => kernel.orchestrator.readConfig()],
  ['OrchestratorApi', 'writeRole', 400, () => kernel.orchestrator.writeRole({ name: 'a' })],
  ['OrchestratorApi', 'readRole', 404, () => kernel.orchestrator.readRole({ name: 'none' })],
  ['OrchestratorApi', 'login', 400, () => kernel.orchestrator.login({ role: 'none', jwt: 'a.b.c' })],
  ['Tokens', 'createToken', 400, () => kernel.tokens.createToken({} as never)],
  ['Tokens', 'createToken', 400, () => kernel.as(last).tokens.createToken()],
  ['Tokens', 'createOrphan', 400, () => kernel.tokens.createOrphan({} as never)],
  ['Tokens', 'createWithRole', 400, () => kernel.tokens.createWithRole({ role_name: 'none' })],
  ['Tokens', 'lookupToken', 404, () => kernel.tokens.lookupToken({ token: 'none' })],
  ['Tokens', 'lookupToken', 400, () => kernel.tokens.lookupToken({} as never)],
  ['Tokens', 'lookupSelf', 400, () => (kernel.tokens as Tokens).lookupSelf()],
  ['Tokens', 'lookupAccessor', 400, () => kernel.tokens.lookupAccessor({ accessor: 'none' })],
  ['Tokens', 'renewToken', 400, () => kernel.tokens.renewToken({ token: 'none' })],
  ['Tokens', 'renewSelf', 400, () => kernel.as(batch).tokens.renewSelf()],
  ['Tokens', 'renewAccessor', 400, () => kernel.tokens.renewAccessor({ accessor: 'none' })],
  ['Tokens', 'revokeToken', 400, () => kernel.tokens.revokeToken({ token: batch })],
  ['Tokens', 'revokeSelf', 400, () => (kernel.tokens as Tokens).revokeSelf()],
  ['Tokens', 'revokeAccessor', 400, () => kernel.tokens.revokeAccessor({} as never)],
  ['Tokens', 'revokeOrphan', 400, () => kernel.tokens.revokeOrphan({ token: 'none' })],
  ['Tokens', 'readRole', 404, () => kernel.tokens.readRole({ role_name: 'none' })],
  ['Tokens', 'writeRole', 400, () => kernel.tokens.writeRole({ role_name: 'a', token_type: 'batch' })],
  ['PolicyApi', 'readPolicy', 404, () => kernel.policies.readPolicy({ name: 'none' })],
  ['PolicyApi', 'writePolicy', 400, () => kernel.policies.writePolicy({ name: 'a', policy: 'path {' })],
  ['PolicyApi', 'deletePolicy', 400, () => kernel.policies.deletePolicy({ name: 'default' })],
  ['PolicyApi', 'explain', 403, () => kernel.policies.explain({ token: 'none', operation: 'read', path: 'a' })],
  ['PasswordApi', 'generatePassword', 404, () => kernel.policies.generatePassword({ name: 'none' })],
  ['PasswordApi', 'readPasswordPolicy', 404, () => kernel.policies.readPasswordPolicy({ name: 'none' })],
  ['PasswordApi', 'writePasswordPolicy', 400, () => kernel.policies.writePasswordPolicy({ name: 'a', policy: 'length = 2' })],
  ['PasswordApi', 'writePasswordPolicy', 405, () => kernel.policies.writePasswordPolicy({ name: 'a/generate', policy: '' })],
  ['PasswordApi', 'deletePasswordPolicy', 405, () => kernel.policies.deletePasswordPolicy({ name: 'a/generate' })],
  ['CapabilityApi', 'capabilities', 400, () => kernel.policies.capabilities({ token: 'none', paths: ['a'] })],
  ['CapabilityApi', 'capabilitiesSelf', 400, () => kernel.policies.capabilitiesSelf({} as never)],
  ['CapabilityApi', 'capabilitiesAccessor', 400, () => kernel.policies.capabilitiesAccessor({ accessor: 'a', paths: ['a'] })],
  ['Mounts', 'readMountTuning', 400, () => kernel.mounts.readMountTuning({ path: 'none' })],
  ['Mounts', 'tuneMount', 400, () => kernel.mounts.tuneMount({ path: 'two', default_lease_ttl: '2h', max_lease_ttl: '1h' })],
  ['Mounts', 'readMount', 400, () => kernel.mounts.readMount({ path: 'none' })],
  ['Mounts', 'createMount', 400, () => kernel.mounts.createMount({ path: 'two', type: 'kv' })],
  ['Mounts', 'deleteMount', 400, () => kernel.mounts.deleteMount({ path: 'sys' })],
  ['Mounts', 'deleteMount', 405, () => kernel.mounts.deleteMount({ path: 'two/tune' })],
  ['Mounts', 'readAuthTuning', 400, () => kernel.mounts.readAuthTuning({ path: 'none' })],
  ['Mounts', 'tuneAuthMethod', 400, () => kernel.mounts.tuneAuthMethod({ path: 'none' })],
  ['Mounts', 'readAuthMethod', 400, () => kernel.mounts.readAuthMethod({ path: 'none' })],
  ['Mounts', 'createAuthMethod', 400, () => kernel.mounts.createAuthMethod({ path: 'a', type: 'kv' })],
  ['Mounts', 'deleteAuthMethod', 400, () => kernel.mounts.deleteAuthMethod({ path: 'token' })],
  ['Mounts', 'deleteAuthMethod', 405, () => kernel.mounts.deleteAuthMethod({ path: 'a/tune' })],
  ['Mounts', 'moveMount', 400, () => kernel.mounts.moveMount({ from: 'none', to: 'other' })],
  ['Mounts', 'readMove', 404, () => kernel.mounts.readMove({ migration_id: 'none' })],
  ['Namespaces', 'createNamespace', 400, () => kernel.namespaces.createNamespace({ name: 'two' })],
  ['Namespaces', 'readNamespace', 404, () => kernel.namespaces.readNamespace({ name: 'none' })],
  ['Namespaces', 'patchNamespace', 404, () => kernel.namespaces.patchNamespace({ name: 'none' })],
  ['Namespaces', 'deleteNamespace', 400, () => kernel.namespaces.deleteNamespace({ name: 'root' })],
  ['Wrapping', 'wrap', 400, () => kernel.wrapping.wrap({ data: {} })],
  ['Wrapping', 'unwrap', 400, () => kernel.wrapping.unwrap({ token: service })],
  ['Wrapping', 'unwrap', 403, () => kernel.wrapping.unwrap({} as never)],
  ['Wrapping', 'rewrap', 400, () => kernel.wrapping.rewrap({ token: service })],
  ['Wrapping', 'lookupWrapping', 400, () => kernel.wrapping.lookupWrapping({ token: service })],
  ['Leases', 'lookupLease', 400, () => kernel.leases.lookupLease({ lease_id: 'none' })],
  ['Leases', 'listLeases', 400, () => kernel.leases.listLeases({ prefix: 'a//b' })],
  ['Leases', 'renewLease', 400, () => kernel.leases.renewLease({ lease_id: 'none' })],
  ['Leases', 'revokeLease', 400, () => kernel.leases.revokeLease({} as never)],
  ['Leases', 'revokePrefix', 400, () => kernel.leases.revokePrefix({ prefix: '' })],
  ['Leases', 'forceRevokePrefix', 400, () => kernel.leases.forceRevokePrefix({ prefix: '' })],
  ['Leases', 'countLeases', 400, () => kernel.leases.countLeases({} as never)],
  ['Leases', 'listIrrevocable', 400, () => kernel.leases.listIrrevocable({ type: 'irrevocable', limit: 0 })],
  ['BarrierRekey', 'init', 400, () => kernel.rekey.init({ pgp_keys: ['a key'] })],
  ['BarrierRekey', 'update', 400, () => kernel.rekey.update({ key: bytes(33) })],
  ['BarrierRekey', 'readVerification', 400, () => kernel.rekey.readVerification()],
  ['BarrierRekey', 'restartVerification', 400, () => kernel.rekey.restartVerification()],
  ['BarrierRekey', 'verify', 400, () => kernel.rekey.verify({ key: bytes(33) })],
  ['BarrierRekey', 'readBackup', 400, () => kernel.rekey.readBackup()],
  ['RecoveryRekey', 'init', 400, () => kernel.rekey.recovery.init({ secret_shares: 300, secret_threshold: 2 })],
  ['GenerateRoot', 'init', 400, () => kernel.generateRoot.init({ otp: 'short' })],
  ['GenerateRoot', 'update', 400, () => kernel.generateRoot.update({ key: bytes(33) })],
  ['GenerateRoot', 'decodeToken', 400, () => kernel.generateRoot.decodeToken({ encoded_token: 'AAAA', otp: 'a' })],
  ['GenerateOperationToken', 'init', 400, () => kernel.generateOperationToken.init({ otp: 'short' })],
  ['GenerateOperationToken', 'deleteToken', 403, () => kernel.generateOperationToken.deleteToken({ dr_operation_token: 'none' })],
  ['GenerateOperationToken', 'deleteToken', 400, () => kernel.generateOperationToken.deleteToken({ dr_operation_token: batch })],
  ['DatabaseApi', 'writeConnection', 400, () => database().writeConnection({ name: 'x', plugin_name: 'none' })],
  ['DatabaseApi', 'readConnection', 404, () => database().readConnection({ name: 'none' })],
  ['DatabaseApi', 'resetConnection', 404, () => database().resetConnection({ name: 'none' })],
  ['DatabaseApi', 'resetConnection', 502, () => database().resetConnection({ name: 'deaf' })],
  ['DatabaseApi', 'rotateRoot', 404, () => database().rotateRoot({ name: 'none' })],
  ['DatabaseApi', 'rotateRoot', 502, () => database().rotateRoot({ name: 'deaf' })],
  ['DatabaseApi', 'writeRole', 400, () => database().writeRole({ name: 'x' })],
  ['DatabaseApi', 'readRole', 404, () => database().readRole({ name: 'none' })],
  ['DatabaseApi', 'creds', 400, () => database().creds({ name: 'alone' })],
  ['DatabaseApi', 'creds', 403, () => database().creds({ name: 'barred' })],
  ['DatabaseApi', 'writeStaticRole', 400, () => database().writeStaticRole({ name: 'x', db_name: 'c', username: 'kept' })],
  [
    'DatabaseApi',
    'writeStaticRole',
    403,
    () => database().writeStaticRole({ name: 'x', db_name: 'c', username: 'kept', rotation_period: '1h' }),
  ],
  ['DatabaseApi', 'readStaticRole', 404, () => database().readStaticRole({ name: 'none' })],
  ['DatabaseApi', 'staticCreds', 400, () => database().staticCreds({ name: 'none' })],
  ['DatabaseApi', 'rotateRole', 400, () => database().rotateRole({ name: 'none' })],
  ['CloudApi', 'configureRoot', 400, () => cloud().configureRoot({ access_key: 'a' })],
  ['CloudApi', 'readRoot', 404, () => cloud().readRoot()],
  ['CloudApi', 'rotateRoot', 400, () => cloud().rotateRoot()],
  ['CloudApi', 'configureLease', 400, () => cloud().configureLease({ lease: '1d', lease_max: '2h' })],
  ['CloudApi', 'readLease', 404, () => cloud().readLease()],
  ['CloudApi', 'writeRole', 400, () => cloud().writeRole({ name: 'x' })],
  ['CloudApi', 'readRole', 404, () => cloud().readRole({ name: 'none' })],
  ['CloudApi', 'deleteRole', 404, () => cloud().deleteRole({ name: 'none' })],
  ['CloudApi', 'creds', 400, () => cloud().creds({ name: 'none' })],
  ['CloudApi', 'sts', 400, () => cloud().sts({ name: 'none' })],
  ['CloudApi', 'writeStaticRole', 400, () => cloud().writeStaticRole({ name: 'x' } as never)],
  ['CloudApi', 'readStaticRole', 404, () => cloud().readStaticRole({ name: 'none' })],
  ['CloudApi', 'staticCreds', 404, () => cloud().staticCreds({ name: 'none' })],
  ['Plugins', 'listPlugins', 405, () => kernel.plugins.listPlugins({ type: 'none' })],
  ['Plugins', 'readPlugin', 404, () => kernel.plugins.readPlugin({ type: 'database', name: 'none' })],
  ['Plugins', 'writePlugin', 400, () => kernel.plugins.writePlugin({ type: 'database', name: 'x' })],
  ['Plugins', 'deletePlugin', 400, () => kernel.plugins.deletePlugin({ type: 'database', name: 'x', version: 'latest' })],
  ['Plugins', 'reloadPlugins', 400, () => kernel.plugins.reloadPlugins({})],
  ['Plugins', 'writePlugin', 400, () => kernel.plugins.writePlugin({ ...image, runtime: 'none' })],
  ['Plugins', 'writeRuntime', 400, () => kernel.plugins.writeRuntime({ type: 'container', name: 'x', cpu_nanos: -1 })],
  ['Plugins', 'readRuntime', 400, () => kernel.plugins.readRuntime({ type: 'machine' as 'container', name: 'x' })],
  ['Plugins', 'readRuntime', 404, () => kernel.plugins.readRuntime({ type: 'container', name: 'none' })],
  ['Plugins', 'listRuntimes', 400, () => kernel.plugins.listRuntimes({ type: 'machine' as 'container' })],
  ['Plugins', 'deleteRuntime', 400, () => kernel.plugins.deleteRuntime({ type: 'container', name: 'used' })],
  ['Plugins', 'deleteRuntime', 404, () => kernel.plugins.deleteRuntime({ type: 'container', name: 'none' })],
  ['Audit', 'enableDevice', 400, () => kernel.audit.enableDevice({ path: 'a', type: 'file' })],
  ['Audit', 'hash', 400, () => kernel.audit.hash({ path: 'none', input: 'a' })],
  ['Audit', 'writeRequestHeader', 400, () => kernel.audit.writeRequestHeader({ header: 'a b' })],
  ['Audit', 'readRequestHeader', 400, () => kernel.audit.readRequestHeader({ header: 'none' })],
  ['Audit', 'deleteRequestHeader', 400, () => kernel.audit.deleteRequestHeader({ header: 'a b' })],
  ['ReplicationApi', 'enablePrimary', 400, () => kernel.replication.enablePrimary({ primary_cluster_addr: 'a'.repeat(257) })],
  ['ReplicationApi', 'demotePrimary', 400, () => kernel.replication.demotePrimary()],
  ['ReplicationApi', 'disablePrimary', 400, () => kernel.replication.disablePrimary()],
  ['ReplicationApi', 'createSecondaryToken', 400, () => kernel.replication.createSecondaryToken({ id: 'a' })],
  ['ReplicationApi', 'revokeSecondary', 400, () => kernel.replication.revokeSecondary({ id: 'a' })],
  ['ReplicationApi', 'generatePublicKey', 400, () => primary.replication.generatePublicKey()],
  ['ReplicationApi', 'enableSecondary', 400, () => kernel.replication.enableSecondary({ token: 'none' })],
  ['ReplicationApi', 'enableSecondary', 502, () => kernel.replication.enableSecondary({ token: activation, ...nowhere })],
  ['ReplicationApi', 'promote', 400, () => kernel.replication.promote()],
  ['ReplicationApi', 'disableSecondary', 400, () => kernel.replication.disableSecondary()],
  ['ReplicationApi', 'updatePrimary', 400, () => kernel.replication.updatePrimary({ token: 'none' })],
  ['ReplicationApi', 'readLostWrites', 400, () => kernel.replication.readLostWrites({ limit: 0 })],
  ['ReplicationApi', 'readLostWrites', 400, () => kernel.replication.readLostWrites({ after: 'none' })],
  [
    'DrReplicationApi',
    'enablePrimary',
    400,
    () => kernel.replication.dr.enablePrimary({ primary_cluster_addr: 'a'.repeat(257) }),
  ],
  ['DrReplicationApi', 'demotePrimary', 400, () => kernel.replication.dr.demotePrimary()],
  ['DrReplicationApi', 'disablePrimary', 400, () => kernel.replication.dr.disablePrimary()],
  ['DrReplicationApi', 'createSecondaryToken', 400, () => kernel.replication.dr.createSecondaryToken({ id: 'a' })],
  ['DrReplicationApi', 'revokeSecondary', 400, () => kernel.replication.dr.revokeSecondary({ id: 'a' })],
  ['DrReplicationApi', 'generatePublicKey', 400, () => primary.replication.dr.generatePublicKey()],
  ['DrReplicationApi', 'enableSecondary', 400, () => kernel.replication.dr.enableSecondary({ token: 'none' })],
  ['DrReplicationApi', 'promote', 400, () => kernel.replication.dr.promote()],
  ['DrReplicationApi', 'disableSecondary', 400, () => kernel.replication.dr.disableSecondary()],
  ['DrReplicationApi', 'updatePrimary', 400, () => kernel.replication.dr.updatePrimary({ token: 'none' })],
  ['ReplicationApi', 'writePathsFilter', 400, () => kernel.replication.writePathsFilter({ id: 'a', paths: [] })],
  ['ReplicationApi', 'readPathsFilter', 404, () => kernel.replication.readPathsFilter({ id: 'a' })],
  ['ReplicationApi', 'deletePathsFilter', 400, () => kernel.replication.deletePathsFilter({ id: 'a' })],
  ['ReplicationApi', 'readDynamicFilter', 404, () => kernel.replication.readDynamicFilter({ id: 'a' })],
  ['ReplicationApi', 'readOwnDynamicFilter', 404, () => kernel.replication.readOwnDynamicFilter({ id: 'a' })],
  ['ReplicationApi', 'reindex', 400, () => kernel.replication.reindex()],
  ['ReplicationApi', 'stopReindex', 400, () => primary.replication.stopReindex()],
  ['ReplicationApi', 'merkleCheck', 400, () => kernel.replication.merkleCheck()],
  ['DrReplicationApi', 'reindex', 400, () => kernel.replication.dr.reindex()],
  ['DrReplicationApi', 'merkleCheck', 400, () => kernel.replication.dr.merkleCheck()],
  ['DrReplicationApi', 'readLostWrites', 400, () => kernel.replication.dr.readLostWrites({ limit: 0 })],
  ['DrReplicationApi', 'forgetLostWrites', 400, () => kernel.as(service).replication.dr.forgetLostWrites()],
  ['ReplicationApi', 'stopMerkleCheck', 400, () => kernel.replication.stopMerkleCheck()],
  ['SyncApi', 'writeCloudASm', 400, () => kernel.sync.writeCloudASm({ name: 'x', secret_name_template: '{{' })],
  ['SyncApi', 'writeCloudBKv', 400, () => kernel.sync.writeCloudBKv({ name: 'x' })],
  ['SyncApi', 'writeCloudCSm', 400, () => kernel.sync.writeCloudCSm({ name: 'x' })],
  ['SyncApi', 'writeRepohost', 400, () => kernel.sync.writeRepohost({ name: 'x' })],
  ['SyncApi', 'writeWebhostProject', 400, () => kernel.sync.writeWebhostProject({ name: 'x' })],
  ['SyncApi', 'readDestination', 404, () => kernel.sync.readDestination({ type: 'repohost', name: 'none' })],
  ['SyncApi', 'listDestinationsOfType', 400, () => kernel.sync.listDestinationsOfType({ type: 'none' as 'repohost' })],
  ['SyncApi', 'deleteDestination', 400, () => kernel.sync.deleteDestination({ type: 'none' as 'repohost', name: 'x' })],
  ['SyncApi', 'readAssociations', 404, () => kernel.sync.readAssociations({ type: 'repohost', name: 'none' })],
  ['SyncApi', 'setAssociation', 404, () => kernel.sync.setAssociation({ ...NOWHERE, mount: 'two', secret_name: 'a' })],
  ['SyncApi', 'removeAssociation', 404, () => kernel.sync.removeAssociation({ ...NOWHERE, mount: 'two', secret_name: 'a' })],
  ['SyncApi', 'readSecretDestinations', 400, () => kernel.sync.readSecretDestinations({ mount: 'none', secret_name: 'a' })],
  ['SyncApi', 'reconcile', 400, () => kernel.sync.reconcile({ name: 'x' })],
  ['Identity', 'readEntity', 404, () => kernel.identity.readEntity({ id: 'none' })],
  ['Rotation', 'configureRotation', 400, () => kernel.seal.configureRotation({ max_operations: 1 })],
  ...SERVICE_CASES.map(([surface, method, status, call]): Case => [surface, method, status, () => call(kernel.configsvc)]),
]

it.each(CASES)('a call of %s.%s is refused with the documented status %i', async (surface, method, status, call) => {
  const error = await call().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(KernelError)
  expect((error as KernelError).status).toBe(status)
  expect(refusals[surface]?.[method], 'the comment says so').toHaveProperty(String(status))
})

it('this test covers nearly every method that documents a 400 or 404', () => {
  const said = Object.entries(refusals).flatMap(([surface, methods]) =>
    Object.entries(methods).flatMap(([method, refused]) =>
      '400' in refused || '404' in refused ? [`${surface}.${method}`] : [],
    ),
  )
  const seen = new Set(CASES.map(([surface, method]) => `${surface}.${method}`))
  expect(said.filter((method) => !seen.has(method)).sort()).toEqual([
    'Audit.disableDevice',
    'GenerateOperationToken.update',
    'RecoveryRekey.readBackup',
    'RecoveryRekey.readVerification',
    'RecoveryRekey.restartVerification',
    'RecoveryRekey.update',
    'RecoveryRekey.verify',
  ])
})
