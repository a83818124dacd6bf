/**
 * Making credentials on the loopback server of the tests. Both ways take turns, a batch each.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import * as iam from '@aws-sdk/client-iam'
import * as sts from '@aws-sdk/client-sts'
import { build } from 'esbuild'
import { awsCloud } from 'strongroom/cloud/aws'
import { each } from '../in-flight.mjs'
import { microseconds, ratio, table, target } from '../report.mjs'
import { takingTurns } from '../turns.mjs'
import { openKernel, ROOT } from './world.mjs'

const BATCH = 32
const ROUNDS = 21
const POLICY = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:*","Resource":"*"}]}'
const ROLE = 'arn:aws:iam::123456789012:role/app'

/** The tests' server is written in TypeScript. */
async function startAws() {
  const entry = fileURLToPath(new URL('../../test/fixtures/aws/server.ts', import.meta.url))
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, platform: 'node', format: 'esm', write: false })
  const folder = mkdtempSync(join(tmpdir(), 'strongroom-bench-'))
  try {
    const file = join(folder, 'server.mjs')
    writeFileSync(file, outputFiles[0].text)
    const { AwsServer } = await import(pathToFileURL(file).href)
    return await AwsServer.start({ root: ROOT })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export async function onServer() {
  const server = await startAws()
  const settings = { ...ROOT, region: 'us-east-1', iam_endpoint: server.url, sts_endpoint: server.url }
  const kernel = await openKernel(awsCloud({ iam, sts }), settings)
  const credentials = { accessKeyId: ROOT.access_key, secretAccessKey: ROOT.secret_key }
  const options = { region: 'us-east-1', endpoint: server.url, credentials }
  const [bareIam, bareSts] = [new iam.IAMClient(options), new sts.STSClient(options)]
  await kernel.cloud.writeRole({ name: 'app', credential_type: 'assumed_role', role_arns: [ROLE] })
  await kernel.cloud.writeRole({ name: 'user', credential_type: 'iam_user', policy_document: POLICY })
  let names = 0

  const assume = () =>
    bareSts.send(new sts.AssumeRoleCommand({ RoleArn: ROLE, RoleSessionName: `s${names++}`, DurationSeconds: 3600 }))
  const createUser = async (made) => {
    const UserName = `bare-${names++}`
    await bareIam.send(new iam.CreateUserCommand({ UserName, Path: '/' }))
    await bareIam.send(new iam.PutUserPolicyCommand({ UserName, PolicyName: 'user', PolicyDocument: POLICY }))
    const { AccessKey } = await bareIam.send(new iam.CreateAccessKeyCommand({ UserName }))
    made.push({ UserName, AccessKeyId: AccessKey.AccessKeyId })
  }
  const deleteUser = async ({ UserName, AccessKeyId }) => {
    await bareIam.send(new iam.DeleteAccessKeyCommand({ UserName, AccessKeyId }))
    await bareIam.send(new iam.DeleteUserPolicyCommand({ UserName, PolicyName: 'user' }))
    await bareIam.send(new iam.DeleteUserCommand({ UserName }))
  }
  const lease = async (made) => void made.push((await kernel.cloud.creds({ name: 'user' })).lease_id)
  const revoke = (lease_id) => kernel.leases.revokeLease({ lease_id, sync: true })

  const making = (makeOne, dropOne) => async () => {
    const made = []
    return { run: () => each(BATCH, 1, () => makeOne(made)), after: () => each(BATCH, 8, (at) => dropOne?.(made[at])) }
  }
  try {
    const sessions = await takingTurns(
      { bare: making(assume), engine: making(() => kernel.cloud.creds({ name: 'app' })) },
      ROUNDS,
      BATCH,
    )
    const users = await takingTurns({ bare: making(createUser, deleteUser), engine: making(lease, revoke) }, ROUNDS, BATCH)
    const measured = [
      ['creds of an assumed role', sessions, 1.9],
      ['creds of an IAM user', users, 1.65],
    ]
    const cost = (rounds) => rounds.speed('bare', 'engine')
    const rows = measured.map(([what, rounds]) => [
      what,
      microseconds(rounds.time('bare').median),
      microseconds(rounds.time('engine').median),
    ])
    const targets = measured.map(([what, rounds, atMost]) =>
      target(`${what}: time of it : of the bare calls`, cost(rounds), { atMost }, ratio),
    )
    return { targets, text: table(['', 'bare', 'engine'], rows) }
  } finally {
    await kernel.close()
    bareIam.destroy()
    bareSts.destroy()
    await server.close()
  }
}
