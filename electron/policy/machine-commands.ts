import { Given, literals, valued } from './arguments.js'
import { named, outcome, type Inner, type Judge } from './call.js'
import { asks, asksToRead, denied } from './findings.js'
import { literalOf } from './shell-fields.js'

const askPerson = 'Ask the person to do it.'

function denies(reason: string): Judge {
  return () => outcome(denied(reason))
}

/** Runs a command as another user: denied itself; what it runs is judged too, so that the worst is named. */
const asRoot: Judge = ({ name, words, input }) => {
  const given = new Given(words, valued('ugphCrtTUDR', 'user group'), true)
  const scripts = new Given(words, valued('c', 'command')).values('c', 'command')
  const start = words.findIndex((word) => word === given.operands[0])
  const command = given.operands.filter((word) => !/^[A-Za-z_]\w*=/.test(word.text))
  const inner: Inner[] = command.length > 0 && !/^(?:su|runuser)$/.test(name) ? [{ kind: 'words', words: command, input }] : []
  for (const script of scripts) inner.push({ kind: 'script', text: script.text, isKnown: literalOf(script) !== null, input })
  return { findings: [denied(`Runs as another user. Run it without ${name}, or ask the person to run it.`)], inner, ownWords: Math.max(start, 0) }
}

/** Programs that end others. */
const kill: Judge = ({ words }) => {
  const texts = literals(words)
  const targets = texts.filter(
    (text, at) => !(at === 0 && /^-(?!1$)|^-1$/.test(text) && texts.length > 1) && !/^-[sln]$/.test(texts[at - 1] ?? '') && text !== '--',
  )
  if (targets.some((text) => text === '-1' || text === '1' || text === '0' || text === '-0'))
    return outcome(denied('Ends all processes. Name the process id of one that this session started.'))
  if (texts[0] === '-l' || texts[0] === '-L') return outcome()
  return outcome(asks('Ends a process'))
}

const systemctl: Judge = ({ words }) =>
  outcome(
    literals(words).some((text) =>
      /^(?:poweroff|reboot|halt|kexec|suspend|hibernate|hybrid-sleep|rescue|emergency|isolate|exit|default|soft-reboot)$/.test(text),
    )
      ? denied(`Stops the machine. ${askPerson}`)
      : asks('Changes services of the machine'),
  )

const history: Judge = ({ words }) =>
  outcome(
    words.some((word) => /^-[a-z]*[cdwrn]/.test(word.text))
      ? denied('Changes the history of the shell. Leave it as it is.')
      : asksToRead('Shows the history of the shell'),
  )

const container: Judge = ({ words }) => {
  const texts = literals(words)
  const opensMachine = texts.some(
    (text, at) =>
      /^--(?:privileged|pid=host|cap-add=(?:ALL|SYS_ADMIN))/.test(text) ||
      /(?:^|=)(?:\/|\/etc|\/home|\/root|\/var\/run\/docker\.sock):/.test(text) ||
      /^-v?\/:/.test(text) ||
      (/^(?:-v|--volume)$/.test(texts[at - 1] ?? '') && text.startsWith('/:')) ||
      /(?:source|src)=\/(?:,|$)/.test(text),
  )
  return outcome(
    opensMachine
      ? denied('Gives a container the whole machine. Mount folders of the workspace only.')
      : { ...asks('Reaches the network, changes containers of the machine'), reachesNetwork: true },
  )
}

/** `init 6`; without a run level it may be any program. */
const init: Judge = ({ words }) => outcome(/^[0-6sS]$/.test(words[0]?.text ?? '') ? denied(`Stops the machine. ${askPerson}`) : asks('Runs init'))

const crontab: Judge = ({ words }) =>
  outcome(
    words.some((word) => word.text === '-l')
      ? asksToRead('Shows planned commands')
      : denied('Plans commands to run later. Run them now, or ask the person.'),
  )

const sysctl: Judge = ({ words }) =>
  outcome(
    words.some((word) => /^-\w*[wp]|=|^--(?:write|load|system)/.test(word.text))
      ? denied(`Changes the kernel. ${askPerson}`)
      : asksToRead('Shows settings of the kernel'),
  )

const mount: Judge = ({ words }) =>
  outcome(words.length === 0 ? asksToRead('Shows what is mounted') : denied(`Changes what is mounted. ${askPerson}`))

/** Programs that only draw attention away; anything else they could do is told elsewhere. */
const endsByName: Judge = ({ name, words }) =>
  outcome(
    literals(words).some((text) => /^\.?[*+]?$|^-(?:u|U)$/.test(text)) || words.length === 0
      ? denied('Ends all processes. Name the process id of one that this session started.')
      : asks(`Ends processes by name with ${name}`),
  )

const perlFork = /\bfork\b[^;]*\bwhile\b|\bwhile\b[^;]*\bfork\b/

/** Whether the text of a script, in any language, starts itself without end. */
export function isForkBomb(text: string): boolean {
  return perlFork.test(text) || /while\s*(?:\(?\s*(?:1|True|true)\s*\)?)\s*:?\s*\{?\s*(?:os\.)?fork/.test(text)
}

export const machineJudges: readonly (readonly [string, Judge])[] = [
  ...named(
    `
    sudo su doas pkexec runuser sudoedit gosu su-exec run0 machinectl sg newgrp gksudo kdesudo calife super
  `,
    asRoot,
  ),
  ...named('chroot nsenter unshare setcap capsh setpriv', denies(`Changes the rights with which programs run. ${askPerson}`)),
  ...named(
    `
    mkfs mke2fs mkswap fdisk sfdisk cfdisk gdisk sgdisk parted wipefs blkdiscard badblocks hdparm cryptsetup losetup dmsetup
    lvremove vgremove pvremove mdadm tune2fs resize2fs e2fsck fsck debugfs partprobe diskutil nvme swapoff swapon format
  `,
    denies(`Changes a disk. ${askPerson}`),
  ),
  ...named('shutdown reboot halt poweroff telinit kexec pm-suspend rtcwake', denies(`Stops the machine. ${askPerson}`)),
  ...named(
    `
    useradd userdel usermod groupadd groupdel groupmod adduser deluser passwd chpasswd visudo vipw chsh chfn gpasswd
  `,
    denies(`Changes accounts of the machine. ${askPerson}`),
  ),
  ...named(
    `
    insmod rmmod modprobe kmod depmod grub-install update-grub efibootmgr bootctl nvram flashrom setenforce
  `,
    denies(`Changes how the machine starts or what its kernel runs. ${askPerson}`),
  ),
  ...named('at batch anacron systemd-run launchctl', denies('Plans commands to run later or elsewhere. Run them now, or ask the person.')),
  ...named('iptables ip6tables nft ufw firewall-cmd ifconfig ip route', () => outcome(asks('Shows or changes the network of the machine'))),
  ['crontab', crontab],
  ['mount', mount],
  ['umount', denies(`Changes what is mounted. ${askPerson}`)],
  ['sysctl', sysctl],
  ['init', init],
  ['kill', kill],
  ['killall5', denies('Ends all processes. Name the process id of one that this session started.')],
  ['killall', endsByName],
  ['pkill', endsByName],
  ['skill', endsByName],
  ['systemctl', systemctl],
  ['service', systemctl],
  ['loginctl', systemctl],
  ['history', history],
  ...named('docker podman nerdctl docker-compose', container),
]

/** Every program that makes a file system. */
export const makesFileSystem: Judge = denies(`Changes a disk. ${askPerson}`)

/** Stands for a command whose name is a text in a pattern. */
export const patternNames: readonly string[] = [
  'rm',
  'sudo',
  'su',
  'dd',
  'chmod',
  'chown',
  'shred',
  'find',
  'mv',
  'doas',
  'mkfs',
  'reboot',
  'shutdown',
]
