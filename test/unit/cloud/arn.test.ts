/** The vectors come from the tests of Vault and OpenBao. */
import { expect, it } from 'vitest'
import { parseArn } from '../../../src/engines/cloud/role/arn.ts'

it.each([
  ['arn:aws:iam::123456789012:role/path/RoleName', { service: 'iam', resource: 'role/path/RoleName', type: 'role' }],
  ['arn:aws:iam::aws:policy/FooBar', { service: 'iam', resource: 'policy/FooBar', type: 'policy' }],
  ['arn:aws:s3:::role/x', { service: 's3', resource: 'role/x', type: 'role' }],
  ['arn:aws:sns:eu-west-1:1:topic:with:colons', { service: 'sns', resource: 'topic:with:colons', type: 'topic:with:colons' }],
  ['arn::iam:::policy/', { service: 'iam', resource: 'policy/', type: 'policy' }],
  ['arn:::::', { service: '', resource: '', type: '' }],
])('parseArn reads %s', (text, arn) => {
  expect(parseArn(text)).toEqual(arn)
})

it.each([
  'not_an_arn',
  'notarn:aws:iam::aws:policy/FooBar',
  ' arn:aws:iam::aws:policy/FooBar',
  'ARN:aws:iam::aws:policy/FooBar',
  'arn:gobbledygook',
  'arn:aws:iam:policy/FooBar',
  'arn:aws:iam::policy/FooBar',
  'arn',
  '',
  'arn:aws:iam::aws:policy/a\0b',
  'arn:aws:iam::aws:policy/a\nb',
  `arn:aws:iam::aws:policy/${'x'.repeat(70_000)}`,
  'arn:'.repeat(20_000),
])('parseArn refuses %j', (text) => {
  expect(parseArn(text)).toBeUndefined()
})
