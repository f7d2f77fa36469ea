import { describe, expect, it } from 'vitest'
import { environmentSecrets, secretsOfEnvironment } from './environment-secrets.js'

const drawn = 'q7RzX2mK9vLp4TsWbN8c'

describe('secrets of an environment', () => {
  it.each([
    ['DB_PASSWORD', 'correct horse 7'],
    ['STRIPE_KEY', 'abcdef0123456789'],
    ['NPM_TOKEN', '3f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d3e2f1a'],
    ['LICENSE', drawn],
    ['DATABASE_URL', 'postgres://ada:hunter22@db.example.com/shop'],
    ['BUILD_INFO', `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`],
  ])('are seen in %s=%s', (name, value) => {
    expect(environmentSecrets({ [name]: value })).toEqual([{ name, value }])
  })

  it.each([
    ['PATH', '/usr/local/bin:/usr/bin'],
    ['SSH_AUTH_SOCK', '/tmp/ssh-XXXX1234/agent.99'],
    ['TOKEN_FILE', '/run/secrets/token'],
    ['GITHUB_SHA', '3f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d3e2f1a'],
    ['MAX_TOKEN', '100000000'],
    ['USE_TOKEN', 'disabled'],
    ['DB_PASSWORD', 'short'],
    ['LANG', 'en_GB.UTF-8'],
    ['HOSTNAME', 'build-agent-Linux-x64-Node20-run17'],
    ['DBUS_SESSION_BUS_ADDRESS', 'unix:path=/run/user/1000/bus'],
    ['NOTHING', undefined],
  ])('are not seen in %s=%s', (name, value) => {
    expect(environmentSecrets({ [name]: value })).toEqual([])
  })

  it('are found wherever they stand in a text', () => {
    const secrets = environmentSecrets({ LICENSE: drawn })
    expect(secretsOfEnvironment(`a ${drawn}\n${drawn}!`, secrets)).toEqual([
      { start: 2, end: 2 + drawn.length, rule: 'value of LICENSE' },
      { start: 3 + drawn.length, end: 3 + 2 * drawn.length, rule: 'value of LICENSE' },
    ])
  })
})
