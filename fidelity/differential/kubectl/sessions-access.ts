import { run } from './session.ts';
import type { Session } from './session.ts';

export const ACCESS: readonly Session[] = [
  {
    id: 'roles',
    steps: [
      run('create serviceaccount robot'),
      run('create role reader --verb=get,list --resource=pods,deployments.apps'),
      run('create rolebinding reads --role=reader --serviceaccount=kubectl-roles:robot'),
      run('create clusterrole kubectl-roles-nodes --verb=get --resource=nodes --resource-name=a'),
      run('create clusterrolebinding kubectl-roles-nodes --clusterrole=kubectl-roles-nodes --user=jane'),
      run('get role reader'),
      run('get role reader -o yaml'),
      run('describe role reader'),
      run('get rolebinding reads -o wide'),
      run('describe rolebinding reads'),
      run('get clusterrole kubectl-roles-nodes -o yaml'),
      run('auth can-i get pods --as=system:serviceaccount:kubectl-roles:robot'),
      run('auth can-i delete pods --as=system:serviceaccount:kubectl-roles:robot'),
      run('auth can-i list deployments.apps --as=system:serviceaccount:kubectl-roles:robot'),
      run('auth can-i get nodes/a --as=jane'),
      run('auth can-i get nodes/b --as=jane'),
      run('auth can-i get unknownthings'),
      run('get pods --as=system:serviceaccount:kubectl-roles:robot'),
      run('delete pod x --as=system:serviceaccount:kubectl-roles:robot'),
      run('create configmap x --as=jane'),
      run('get nodes --as=jane'),
      run('auth reconcile -f -', {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: 'reader' },
        rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'watch'] }],
      }),
      run('delete clusterrole,clusterrolebinding kubectl-roles-nodes'),
    ],
  },
];
