// An application that gives every optional peer to its adapter, as the peer's own types have it. Compiled and run beside the oldest and the newest
// versions that package.json allows (tools/try-peers.mjs).
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as iam from '@aws-sdk/client-iam'
import * as sts from '@aws-sdk/client-sts'
import { metrics } from '@opentelemetry/api'
import fastify from 'fastify'
import * as mongodb from 'mongodb'
import mysql2 from 'mysql2/promise'
import { generateKey, readKey } from 'openpgp'
import pg from 'pg'
import { createKernel, type DatabasePlugin, keySeal, type SyncConfig, type SyncDestination } from 'strongroom'
import { awsCloud } from 'strongroom/cloud/aws'
import { forgeRsa } from 'strongroom/crypto/forge'
import { mongodbPlugin } from 'strongroom/database/mongodb'
import { mysqlPlugin } from 'strongroom/database/mysql'
import { postgresqlPlugin } from 'strongroom/database/postgresql'
import { strongroomPlugin } from 'strongroom/fastify'
import { InjectKernel, StrongroomModule } from 'strongroom/nestjs'
import { instrument } from 'strongroom/otel'
import { openpgp } from 'strongroom/pgp/openpgp'
import { lmdbStorage } from 'strongroom/storage/lmdb'
import { postgresqlStorage } from 'strongroom/storage/postgresql'
import { awsSync } from 'strongroom/sync/aws'
import { azureSync } from 'strongroom/sync/azure'
import { googleSync } from 'strongroom/sync/google'

const signal = AbortSignal.timeout(60_000)
/** Nothing listens there, so a driver that works reports that the connection was refused. */
const NOWHERE = '127.0.0.1:1'

async function refusalOf(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work()
  } catch (error) {
    return error
  }
  throw new Error('a connection to nowhere was not refused')
}

async function triesDatabase(plugin: DatabasePlugin, connection_url: string): Promise<void> {
  const details = plugin.configure({ connection_url, username: 'user', password: 'password' })
  assert.equal(((await refusalOf(() => plugin.connect(details, signal))) as { reason?: unknown }).reason, 'connection')
}

async function triesStore(destination: SyncDestination, config: SyncConfig): Promise<void> {
  const session = destination.open(config)
  const put = { name: 'app', value: 'value', tags: {}, removeTags: [], opId: 'an-id-of-at-least-thirty-two-characters' }
  const { kind, code } = (await refusalOf(() => session.put(put, signal))) as { kind?: unknown; code?: unknown }
  assert.equal(kind, 'external', String(code))
  await session.close()
}

const path = await mkdtemp(join(tmpdir(), 'strongroom-peers-'))
const storage = lmdbStorage({ path })
const kernel = await createKernel({
  storage,
  seal: keySeal(new Uint8Array(32).fill(7)),
  initialize: true,
  ports: { pgp: openpgp() },
  rsa: await forgeRsa(),
})
await kernel.transit.createKey({ name: 'orders' })
const { ciphertext } = await kernel.transit.encrypt({ name: 'orders', plaintext: new Uint8Array(3) })
assert.deepEqual(new Uint8Array((await kernel.transit.decrypt({ name: 'orders', ciphertext })).plaintext), new Uint8Array(3))
await kernel.transit.createKey({ name: 'rsa', type: 'rsa-2048' })
const sealed = await kernel.transit.encrypt({ name: 'rsa', plaintext: new Uint8Array(3) })
const opened = await kernel.transit.decrypt({ name: 'rsa', ciphertext: sealed.ciphertext })
assert.deepEqual(new Uint8Array(opened.plaintext), new Uint8Array(3))
const telemetry = instrument(kernel, { meterProvider: metrics.getMeterProvider() })
const app = fastify()
await app.register(strongroomPlugin, { kernel })
assert.equal((await app.inject('/v1/sys/health')).statusCode, 200)
await app.close()
telemetry.disable()
assert.equal(StrongroomModule.forRoot({ kernel: () => kernel }).global, false)
assert.equal(typeof InjectKernel(), 'function')
await kernel.close()
await storage.close()
await rm(path, { recursive: true, force: true })

const { publicKey } = await generateKey({ userIDs: [{ name: 'somebody' }], format: 'binary' })
const text = Buffer.from(publicKey).toString('base64')
assert.equal(await openpgp().fingerprint(text), (await readKey({ binaryKey: publicKey })).getFingerprint())
assert.ok((await openpgp().encrypt(new Uint8Array(3), text)).length > 3)

await triesDatabase(postgresqlPlugin({ pg }), `postgresql://{{username}}:{{password}}@${NOWHERE}/app?sslmode=disable`)
await triesDatabase(mysqlPlugin({ mysql2 }), `{{username}}:{{password}}@tcp(${NOWHERE})/app`)
await triesDatabase(mongodbPlugin({ mongodb }), `mongodb://{{username}}:{{password}}@${NOWHERE}/admin`)
const pool = new pg.Pool({ host: '127.0.0.1', port: 1 })
await refusalOf(() => postgresqlStorage({ pool }).get('a'))
await pool.end()

const cloud = awsCloud({ iam, sts, deadlineMs: 10_000 }).connect({
  accessKey: 'id',
  secretKey: 'secret',
  region: 'eu-central-1',
  iamEndpoint: `http://${NOWHERE}`,
  stsEndpoint: `http://${NOWHERE}`,
  maxRetries: 0,
})
const refusal = await refusalOf(() => cloud.getUser({ userName: 'app' }, signal))
assert.equal((refusal as { reason?: unknown }).reason, 'unavailable')

const endpoint = `http://${NOWHERE}`
await triesStore(awsSync({ endpoint }), { access_key_id: 'id', secret_access_key: 'secret', region: 'eu-central-1' })
const azure = { client_id: 'id', client_secret: 'secret', tenant_id: 'tenant' }
await triesStore(azureSync({ authority: `https://${NOWHERE}`, hosts: () => true }), {
  ...azure,
  key_vault_uri: `https://${NOWHERE}`,
})
const { privateKey } = (await import('node:crypto')).generateKeyPairSync('rsa', { modulusLength: 2048 })
const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' })
const account = { client_email: 'app@project.iam.gserviceaccount.com', private_key, project_id: 'project' }
await triesStore(googleSync({ endpoint }), { credentials: JSON.stringify(account) })
console.log('peers: every adapter ran')
