/**
 * HTTP services that send endless answers: sync stores, AWS, a Kubernetes API server. The call fails after a bounded number of bytes,
 * whichever part of the answer is endless and however fast it arrives.
 */
import { gzipSync } from 'node:zlib'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { awsCloud } from '../../../src/adapters/cloud-aws/index.ts'
import { kubernetesTokenReviewer } from '../../../src/adapters/orchestrator-kubernetes/index.ts'
import { awsSync } from '../../../src/adapters/sync-aws/index.ts'
import { azureSync } from '../../../src/adapters/sync-azure/index.ts'
import { githubSync } from '../../../src/adapters/sync-github/index.ts'
import { googleSync } from '../../../src/adapters/sync-google/index.ts'
import { vercelSync } from '../../../src/adapters/sync-vercel/index.ts'
import type { SyncDestination } from '../../../src/sys/sync/port.ts'
import { settingsAt } from '../../fixtures/aws/settings.ts'
import { HTTP_FLOODS, serveHttp } from '../../fixtures/endless/http.ts'
import { type EndlessServer, startEndlessServer } from '../../fixtures/endless/server.ts'
import { runs } from '../../fixtures/runs.ts'
import { startGoogleServer } from '../../fixtures/sync/google.ts'
import { trust } from '../../fixtures/sync/trust.ts'
import { live, push } from '../../fixtures/sync/world.ts'
import { review } from '../orchestrator-kubernetes/asking.ts'
import { authority } from '../orchestrator-kubernetes/authorities.ts'

/** The greatest limit of an adapter, and the contents of the socket buffers on both sides. */
const MAX_SENT_BYTES = 32 * 1024 * 1024

const certificates = authority('endless services')
const tls = certificates.issue()

const KEPT_BY_NO_FETCH = ['many interim answers', 'the length of a chunk']

const TOKEN = 'a-token-that-is-never-shown'

const puts = (destination: SyncDestination, config: Readonly<Record<string, unknown>>): Promise<unknown> =>
  destination.open(config as never).put(push('NAME'), live())

let googleCredentials: string
beforeAll(async () => {
  const server = await startGoogleServer()
  googleCredentials = server.credentials
  await server.stop()
})

const vaultAt = (url: string): Promise<unknown> =>
  puts(azureSync({ authority: url, hosts: (name) => name === '127.0.0.1' }), {
    key_vault_uri: url,
    client_id: 'client',
    client_secret: TOKEN,
    tenant_id: 'c0ffee00-0000-4000-8000-00000000cafe',
    cloud: 'cloud',
  })

const whole = (status: string, body: string, more = ''): string =>
  `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`

interface Row {
  readonly name: string
  readonly isTls?: boolean
  /** Uses the platform's `fetch`, which drops interim answers and chunk extensions without a limit, and keeps nothing of them. */
  readonly isOverFetch?: boolean
  /** The client decompresses answers. */
  readonly decompresses?: boolean
  readonly call: (url: string) => Promise<unknown>
  readonly answer?: (request: string, url: string) => string | undefined
}

const ROWS: readonly Row[] = [
  {
    name: 'AWS Secrets Manager',
    call: (url) =>
      puts(awsSync({ endpoint: url }), { access_key_id: 'AKIAEXAMPLE', secret_access_key: TOKEN, region: 'eu-central-1' }),
  },
  { name: 'Azure Key Vault', isTls: true, decompresses: true, call: vaultAt },
  {
    name: 'the Azure authority',
    isTls: true,
    decompresses: true,
    call: vaultAt,
    answer: (request, url) =>
      request.includes('/secrets/')
        ? whole(
            '401 Unauthorized',
            '{}',
            `WWW-Authenticate: Bearer authorization="${url}/t", resource="https://vault.azure.net"\r\n`,
          )
        : undefined,
  },
  {
    name: 'Google Secret Manager',
    decompresses: true,
    call: (url) => puts(googleSync({ endpoint: url }), { credentials: googleCredentials }),
  },
  {
    name: 'GitHub',
    isOverFetch: true,
    decompresses: true,
    call: (url) =>
      puts(githubSync({ endpoint: url }), { access_token: TOKEN, repository_owner: 'acme', repository_name: 'shop' }),
  },
  {
    name: 'Vercel',
    isOverFetch: true,
    decompresses: true,
    call: (url) =>
      puts(vercelSync({ endpoint: url }), {
        access_token: TOKEN,
        project_id: 'prj_shop',
        deployment_environments: ['production'],
      }),
  },
  { name: 'AWS IAM', call: (url) => awsCloud().connect(settingsAt(url)).listGroupsForUser({ userName: 'user' }, live()) },
  {
    name: 'AWS STS',
    call: (url) =>
      awsCloud().connect(settingsAt(url)).getFederationToken({ name: 'user', durationSeconds: 900, policyArns: [] }, live()),
  },
  { name: 'a Kubernetes API server', call: (url) => review(kubernetesTokenReviewer(), { host: url }) },
]

let server: EndlessServer | undefined
afterEach(() => server?.stop())

describe.each(ROWS)('a call to $name with an oversized answer', ({ isTls, isOverFetch, decompresses, call, answer }) => {
  const failureFrom = async (flood: { readonly head: string; readonly chunk: string }, pace: 'fast' | 'slow') => {
    let url = ''
    server = await startEndlessServer(
      (peer) => serveHttp(peer, flood, pace, (request) => answer?.(request, url)),
      isTls ? tls : undefined,
    )
    url = `${isTls ? 'https' : 'http'}://127.0.0.1:${server.port}`
    const distrust = trust(certificates.cert)
    try {
      return await call(url).then(
        () => expect.unreachable('it was answered'),
        (error: Error & { readonly code?: string }) => error,
      )
    } finally {
      distrust()
    }
  }

  const shapes = Object.entries(HTTP_FLOODS).filter(([shape]) => !isOverFetch || !KEPT_BY_NO_FETCH.includes(shape))
  for (const [shape, flood] of shapes.slice(0, runs({ quick: 1, soak: shapes.length })))
    for (const pace of runs({ quick: 1, soak: 2 }) === 2 ? (['fast', 'slow'] as const) : (['fast'] as const))
      it(`fails after it has read a bounded number of bytes: ${shape}, ${pace}`, async () => {
        const failure = await failureFrom(flood, pace)
        expect(failure.message).not.toContain(TOKEN)
        expect(server!.sent).toBeLessThan(MAX_SENT_BYTES)
        // The client closes the connection.
        await expect.poll(() => server!.flooded, { timeout: 60_000, interval: 5 }).toBe(0)
      })

  it.runIf(decompresses)('fails before a compressed answer is completely decompressed', async () => {
    const body = gzipSync(Buffer.alloc(32 * 1024 * 1024, 0x20)).toString('latin1')
    const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    server = await startEndlessServer(
      ({ stream }) =>
        stream.on('data', (request: Buffer) => {
          const text = request.toString('latin1')
          if (/^[A-Z]+ \//.test(text))
            stream.write(answer?.(text, `https://127.0.0.1:${server!.port}`) ?? Buffer.from(head, 'latin1'))
        }),
      isTls ? tls : undefined,
    )
    const distrust = trust(certificates.cert)
    const failure = await call(`${isTls ? 'https' : 'http'}://127.0.0.1:${server.port}`).then(
      () => expect.unreachable('it was answered'),
      (error: { readonly code?: string; readonly message: string }) => error,
    )
    distrust()
    expect(failure.message).not.toContain(TOKEN)
  })
})
