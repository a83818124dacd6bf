import { describe, expect, it } from 'vitest'
import { awsSync } from '../../../src/adapters/sync-aws/index.ts'
import { nameLaws } from '../../fixtures/sync/names.ts'

const destination = awsSync()

describe('a name normalized by awsSync', () => {
  nameLaws(destination, /^[A-Za-z0-9/_+=.@-]$/)

  it('keeps letter case and slashes', () => {
    const { rules } = destination
    expect(rules.normalizeName('vault/kv_1234/My secret:ü')).toBe('vault/kv_1234/My_secret__')
    expect(rules.foldName('App')).not.toBe(rules.foldName('app'))
    expect(rules).toMatchObject({ maxNameLength: 512, maxValueBytes: 65_536, granularityDefault: 'secret-path', tags: true })
  })
})

describe('awsSync validate', () => {
  const keys = { access_key_id: 'id', secret_access_key: 'secret' }
  const fields = (config: object, environment?: object) =>
    awsSync(environment && { environment })
      .validate({ ...config })
      .map(({ field }) => field)

  it.each([
    [{}, undefined, []],
    [{ access_key_id: '', secret_access_key: '', region: '' }, undefined, []],
    [{ ...keys, region: 'eu-central-1' }, undefined, []],
    [{ access_key_id: 'id' }, undefined, ['secret_access_key']],
    [{ secret_access_key: 'secret' }, undefined, ['access_key_id']],
    [{ ...keys, region: 'evil.example/' }, undefined, ['region']],
    [{ ...keys, region: 'a'.repeat(64) }, undefined, ['region']],
    [{ ...keys, region: 'eu-central-1' }, {}, []],
    [{}, {}, ['region', 'access_key_id']],
    [{}, { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret', AWS_REGION: 'us-east-1' }, []],
    [keys, { AWS_REGION: 'not a region' }, ['region']],
  ])('reports the invalid fields of the configuration %j with the environment %j', (config, environment, expected) => {
    expect(fields(config, environment)).toEqual(expected)
  })

  it('returns errors that contain no configured value', () => {
    expect(JSON.stringify(destination.validate({ access_key_id: 'AKIASHOWN', region: 'Shown!' }))).not.toMatch(/shown/i)
  })
})

it.each(['', 'store.example', 'ftp://store.example', 'file:///etc'])('awsSync refuses the endpoint %j', (endpoint) => {
  expect(() => awsSync({ endpoint })).toThrow(TypeError)
})
