package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	pools "github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"
	"github.com/redis/rueidis/rueidislock"
)

// As in packages/bench/src/peers/polling.ts: how often a library that polls tries again, and up to how much later.
const (
	pollEvery  = 10 * time.Millisecond
	pollJitter = 5 * time.Millisecond
)

const compareAndDelete = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0"

var background = context.Background()

// Waits for the lock of this name. What it returns gives it back.
type locker func(name string) (release func() error, err error)

// A connection of its own for one library.
func connect(wanted use) (locker, error) {
	server, err := url.Parse(wanted.URL)
	if err != nil {
		return nil, err
	}
	lease := time.Duration(wanted.LeaseMs) * time.Millisecond
	switch wanted.Peer {
	case "rueidislock":
		return rueidisLock(server.Host, lease)
	case "redsync":
		return redsyncLock(goRedis(server.Host), lease), nil
	case "redislock":
		return redislockLock(goRedis(server.Host), lease), nil
	case "floor: SET NX, go-redis":
		return goRedisFloor(goRedis(server.Host), lease), nil
	case "floor: SET NX, rueidis":
		return rueidisFloor(server.Host, lease)
	default:
		return nil, fmt.Errorf("nobody here is called %s", wanted.Peer)
	}
}

func goRedis(address string) *redis.Client { return redis.NewClient(&redis.Options{Addr: address}) }

func pollDelay() time.Duration { return pollEvery + time.Duration(rand.Int64N(int64(pollJitter))) }

func rueidisLock(address string, lease time.Duration) (locker, error) {
	made, err := rueidislock.NewLocker(rueidislock.LockerOption{
		ClientOption: rueidis.ClientOption{InitAddress: []string{address}},
		KeyMajority:  1,
		KeyValidity:  lease,
	})
	if err != nil {
		return nil, err
	}
	return func(name string) (func() error, error) {
		_, cancel, err := made.WithContext(background, name)
		return func() error {
			cancel()
			return nil
		}, err
	}, nil
}

func redsyncLock(client *redis.Client, lease time.Duration) locker {
	made := redsync.New(pools.NewPool(client))
	delay := redsync.WithRetryDelayFunc(func(int) time.Duration { return pollDelay() })
	return func(name string) (func() error, error) {
		mutex := made.NewMutex(name, redsync.WithExpiry(lease), redsync.WithTries(math.MaxInt32), delay)
		err := mutex.Lock()
		return func() error {
			_, err := mutex.Unlock()
			return err
		}, err
	}
}

type jittered struct{}

func (jittered) NextBackoff() time.Duration { return pollDelay() }

func redislockLock(client *redis.Client, lease time.Duration) locker {
	made := redislock.New(client)
	return func(name string) (func() error, error) {
		lock, err := made.Obtain(background, name, lease, &redislock.Options{RetryStrategy: jittered{}})
		return func() error { return lock.Release(background) }, err
	}
}

func goRedisFloor(client *redis.Client, lease time.Duration) locker {
	script := redis.NewScript(compareAndDelete)
	return func(name string) (func() error, error) {
		value := fmt.Sprintf("%x", rand.Uint64())
		got, err := client.SetNX(background, name, value, lease).Result()
		if err == nil && !got {
			err = fmt.Errorf("%s is taken", name)
		}
		return func() error { return script.Run(background, client, []string{name}, value).Err() }, err
	}
}

func rueidisFloor(address string, lease time.Duration) (locker, error) {
	client, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{address}})
	if err != nil {
		return nil, err
	}
	script := rueidis.NewLuaScript(compareAndDelete)
	return func(name string) (func() error, error) {
		value := fmt.Sprintf("%x", rand.Uint64())
		set := client.B().Set().Key(name).Value(value).Nx().PxMilliseconds(lease.Milliseconds()).Build()
		err := client.Do(background, set).Error()
		return func() error { return script.Exec(background, client, []string{name}, []string{value}).Error() }, err
	}, nil
}
