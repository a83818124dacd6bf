import { expect, it } from 'vitest'
import { LoginWorld, mapped } from './login-world.ts'

it('logs in', async () => {
  await using world = await LoginWorld.open()
  await world.method('minted', { ClaimMappings: mapped(['team']) }, { MaxTokenTTL: '5m' })
  const rule = await world.service.bindingRules.create({
    AuthMethod: 'minted',
    BindType: 'service',
    BindName: 'svc-${value.team}',
    Selector: 'value.team == web',
  })
  console.log(rule)
  console.log(await world.logIn('minted', { team: 'web' }))
  console.log(await world.logIn('minted', { team: 'db' }))
  console.log(await world.ask('GET', 'auth-method/MINTED'), await world.ask('GET', 'binding-rules'))
  console.log(JSON.stringify(await world.service.bindingRules.evaluate({ auth_method: 'minted', identity: { value: { team: 'web' } } }), null, 1))
  const t = (await world.logIn('minted', { team: 'web' })).body as { SecretID: string }
  console.log(await world.ask('POST', 'logout', undefined, t.SecretID), await world.ask('POST', 'logout', undefined, t.SecretID))
  console.log(await world.ask('POST', 'logout', undefined, null))
  await world.logIn('minted', { team: 'web' })
  console.log(await world.ask('DELETE', 'auth-method/minted'), await world.ask('DELETE', 'auth-method/minted'))
  console.log(await world.service.tick())
  console.log(await world.ask('GET', 'binding-rules'), await world.ask('GET', 'auth-methods'))
})
